import { useLingui } from "@lingui/react/macro";
import { serverWords } from "@/api/error-words";
import type { CheckStatusJson, ConnectorCheckJson } from "@/gen/echomind/public/v1/connector_pb";
import { type ByMember, ofMember } from "@/ui/members";
import { Notice } from "@/ui/Notice";

/** Checks of a source. */
export function CheckList({ checks }: { checks: readonly ConnectorCheckJson[] }) {
  const { t } = useLingui();
  const words: ByMember<CheckStatusJson, string> = { CHECK_STATUS_PASSED: t`works`, CHECK_STATUS_WARNING: t`needs attention`, CHECK_STATUS_FAILED: t`does not work` };
  const has = (status: ConnectorCheckJson["status"]) => checks.some((check) => check.status === status);
  const tone = has("CHECK_STATUS_FAILED") ? "danger" : has("CHECK_STATUS_WARNING") ? "warn" : "info";
  return (
    <Notice tone={tone}>
      <ul>
        {checks.map(({ name = "", status, message }) => (
          <li key={name}>
            {serverWords(name)}: {ofMember(words, status)}
            {message && `. ${serverWords(message)}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

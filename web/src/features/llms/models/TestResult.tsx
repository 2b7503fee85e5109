import { Trans, useLingui } from "@lingui/react/macro";
import { serverWords } from "@/api/error-words";
import type { TestLlmResponseJson } from "@/gen/echomind/public/v1/llm_service_pb";
import { formatDuration } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { adviceOn } from "./faults";

/** The result of a model's test, with advice after an error. */
export function TestResult({ result: { ok, message, latencyMs = 0, fault } }: { result: TestLlmResponseJson }) {
  const { t } = useLingui();
  if (ok) {
    return (
      <Notice tone="info">
        <Trans>It answered in {formatDuration(latencyMs)}.</Trans>
      </Notice>
    );
  }
  const advice = adviceOn(fault);
  return (
    <Notice tone="danger">
      <p>{serverWords(message) || t`The model did not answer.`}</p>
      {advice && <p>{t(advice)}</p>}
    </Notice>
  );
}

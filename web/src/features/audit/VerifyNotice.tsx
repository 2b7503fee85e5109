import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Verified } from "@/data/audit";
import type { AuditDefectJson } from "@/gen/echomind/public/v1/audit_pb";
import { CopyButton } from "@/ui/CopyButton";
import { type ByMember, ofMember } from "@/ui/members";
import { Notice } from "@/ui/Notice";
import styles from "./AuditPage.module.css";

/** What a verification of the audit log has found. */
export function VerifyNotice({ result }: { result: Verified }) {
  const { t } = useLingui();
  const { defect, entryId = "", seal = "", head, entries, early, isWhole, unsealedEntries, isProtected } = result;
  if (!isWhole) {
    const words: ByMember<AuditDefectJson, string> = {
      AUDIT_DEFECT_CHANGED: t`Entry ${entryId}, under seal ${seal}, was changed after it was written.`,
      AUDIT_DEFECT_REMOVED: t`Entry ${entryId}, under seal ${seal}, was removed.`,
      AUDIT_DEFECT_ADDED: t`Entry ${entryId}, under seal ${seal}, was added later.`,
      AUDIT_DEFECT_SEAL_CHANGED: t`Seal ${seal} was changed, or does not continue the one before.`,
      AUDIT_DEFECT_SEAL_MISSING: t`Seal ${seal} is missing: a part of the log was removed.`,
    };
    return <Notice tone="danger">{ofMember(words, defect)}</Notice>;
  }
  const newest = head ? `${head.number ?? ""}:${head.hash ?? ""}` : "";
  const waiting = Number(unsealedEntries ?? 0);
  return (
    <Notice tone={early > 0 ? "danger" : "info"} actions={newest && <CopyButton label={t`Copy the newest seal`} text={() => newest} />}>
      {plural(entries, { one: "# entry is as it was written.", other: "# entries are as they were written." })}{" "}
      {waiting > 0 && plural(waiting, { one: "# entry is not sealed yet.", other: "# entries are not sealed yet." })}
      {early > 0 && (
        <p>
          <Plural
            value={early}
            one="# entry expired before the time that entries are kept for now."
            other="# entries expired before the time that entries are kept for now."
          />{" "}
          <Trans>If that time was not raised since, somebody has removed them.</Trans>
        </p>
      )}
      {newest && (
        <p>
          <Trans>Keep the newest seal somewhere else, to notice later if the end is removed:</Trans> <span className={styles.seal}>{newest}</span>
        </p>
      )}
      {!isProtected && (
        <p>
          <Trans>
            The log belongs to EchoMind's own user of the database. An administrator of the database can give it an owner of its own: the guide of
            the audit log has the statements.
          </Trans>
        </p>
      )}
    </Notice>
  );
}

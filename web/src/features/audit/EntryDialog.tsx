import { useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import type { AuditEntryJson } from "@/gen/echomind/public/v1/audit_pb";
import { Dialog } from "@/ui/Dialog";
import { formatTimestamp } from "@/ui/format";
import { whoOf } from "./who";
import { actionWords } from "./words";
import styles from "./AuditPage.module.css";

/** An entry of the audit log with all that it says. */
export function EntryDialog({ entry, onClose }: { entry: AuditEntryJson; onClose: () => void }) {
  const { t } = useLingui();
  const { action = "" } = entry;
  const fields: readonly (readonly [string, string])[] = [
    [t`Number`, entry.id ?? ""],
    [t`Time`, formatTimestamp(entry.creationDate)],
    [entry.actorKind === "ACCOUNT_KIND_SERVICE" ? t`Service account` : t`Person`, whoOf(entry) || t`unknown`],
    [t`Method`, action],
    [t`Target`, entry.target ?? ""],
    [t`Outcome`, entry.denied ? t`refused` : t`done`],
    [t`Attempts`, (entry.count ?? 1) > 1 ? String(entry.count) : ""],
    [t`Address`, entry.address ?? ""],
    [t`Credential`, entry.credential ?? ""],
    [t`Seal`, entry.isSealed ? t`sealed` : t`not yet sealed`],
    ...Object.entries(entry.detail ?? {}).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const),
  ];
  return (
    <Dialog title={actionWords(action) ?? action} onClose={onClose} isWide>
      <dl className={styles.fields}>
        {fields
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
      </dl>
    </Dialog>
  );
}

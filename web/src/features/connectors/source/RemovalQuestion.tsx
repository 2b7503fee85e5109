import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { removalsQuery, useAnswerSync } from "@/data/sources";
import type { ConnectorSyncJson } from "@/gen/echomind/public/v1/connector_pb";
import { Button } from "@/ui/Button";
import { formatNumber } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import styles from "./SyncPanel.module.css";

/** Number of documents to name. */
const SHOWN = 50;

/** Lists the documents that a sync would remove, and asks for confirmation. */
export function RemovalQuestion({ sync }: { sync: ConnectorSyncJson }) {
  const { t } = useLingui();
  const { data: removals } = useQuery(removalsQuery(sync));
  const answer = useAnswerSync(sync);
  const count = sync.toRemove ?? 0;
  return (
    <Notice
      tone="warn"
      actions={
        <>
          <Button variant="danger" disabled={answer.isPending} onClick={() => answer.mutate(true)}>
            <Trans>Remove them</Trans>
          </Button>
          <Button disabled={answer.isPending} onClick={() => answer.mutate(false)}>
            <Trans>Keep them and pause</Trans>
          </Button>
        </>
      }
    >
      <p>
        <Plural
          value={count}
          one="The connected system no longer lists # document, more than a third of them. Is that correct?"
          other="The connected system no longer lists # documents, more than a third of them. Is that correct?"
        />
      </p>
      {removals && (
        <ul className={styles.list} aria-label={t`Documents that would be removed`}>
          {removals.slice(0, SHOWN).map(({ documentId, title, sourceId }) => (
            <li key={documentId}>{title || sourceId || t`A document that you may not read`}</li>
          ))}
          {removals.length > SHOWN && <li>{t`and ${formatNumber(removals.length - SHOWN)} more`}</li>}
        </ul>
      )}
      {answer.error && <p>{answer.error.message}</p>}
    </Notice>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { messageQuery } from "@/data/messages";
import { toolLabel } from "@/features/chat/tools";
import { hostOf } from "@/features/citations/citations";
import { Parameters } from "@/features/chat/trace/Parameters";
import { formatNumber } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import styles from "./MessageDetails.module.css";

/** How an answer was found: the query, the passages and the tool calls. */
export function MessageDetails({ id }: { id: string }) {
  const { t } = useLingui();
  const { data: message, error, refetch } = useQuery(messageQuery(id));
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!message) return <Spinner label={t`Loading details`} />;
  const { rephrasedQuery, retrievalContext = [], toolCalls = [] } = message;
  return (
    <section className={styles.details} aria-label={t`Details of the answer`}>
      {rephrasedQuery && (
        <>
          <h3><Trans>Searched for</Trans></h3>
          <p className={styles.query}>{rephrasedQuery}</p>
        </>
      )}
      <h3><Trans>Passages found</Trans></h3>
      {retrievalContext.length === 0 && <p className={styles.none}><Trans>None</Trans></p>}
      <ol className={styles.list}>
        {retrievalContext.map(({ number, title, chunkId, url, score = 0 }, index) => (
          <li key={chunkId ?? index}>
            <span className={styles.title}>{title || t`No longer available`}</span>
            <span className={styles.number}>{number ? t`Cited as ${number}` : t`Not cited`}</span>
            {url ? (
              <span className={styles.number}>{hostOf({ url })}</span>
            ) : (
              <span className={styles.number} title={t`Relevance, from 0 to 1`}>{formatNumber(Math.round(Number(score) * 100) / 100)}</span>
            )}
          </li>
        ))}
      </ol>
      <h3><Trans>Tools called</Trans></h3>
      {toolCalls.length === 0 && <p className={styles.none}><Trans>None</Trans></p>}
      <ol className={styles.list}>
        {toolCalls.map(({ toolName, parameters }, index) => (
          <li key={index} className={styles.call}>
            <span>{toolLabel(toolName ?? "")}</span>
            <Parameters parameters={parameters} />
          </li>
        ))}
      </ol>
    </section>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { knowledgeRevisionsQuery } from "@/data/knowledge";
import { formatMoment } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { ShowMore } from "@/ui/ShowMore";
import { Spinner } from "@/ui/Spinner";
import styles from "../knowledge.module.css";
import { Differences } from "./Differences";

/** The revisions of an entity with their authors and differences, newest first; for those who manage it. */
export function History({ id }: { id: string }) {
  const { t } = useLingui();
  const pages = useInfiniteQuery(knowledgeRevisionsQuery(id));
  const { data, error, refetch } = pages;
  if (!data) return error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading the history`} />;
  return (
    <section className={styles.panel} aria-labelledby="history">
      <h2 id="history">
        <Trans>History</Trans>
      </h2>
      {data.pages
        .flatMap((page) => page.revisions ?? [])
        .map(({ revision = 1, userName, creationDate, chatSessionId = 0, title, content, differences = [] }) => (
          <article key={revision} className={styles.similar}>
            <h3>
              {[t`Revision ${revision}`, userName, formatMoment(creationDate)].filter(Boolean).join(" · ")}
              {chatSessionId > 0 && (
                <Link href={`/chat/${chatSessionId}`} className={styles.source}>
                  <Trans>Learned from a conversation of yours</Trans>
                </Link>
              )}
            </h3>
            <p className={styles.quiet}>{title}</p>
            {differences.length > 0 ? <Differences differences={differences} /> : <p className={styles.excerpt}>{content}</p>}
          </article>
        ))}
      <ShowMore of={pages} />
    </section>
  );
}

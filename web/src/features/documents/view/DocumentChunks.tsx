import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { chunksQuery } from "@/data/documents";
import { classes } from "@/ui/classes";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import styles from "./view.module.css";

/** A document's passages, as searches find them, with the chosen one in sight. */
export function DocumentChunks({ id, chosen }: { id: string; chosen: string }) {
  const { t } = useLingui();
  const { data: chunks, error, refetch } = useQuery(chunksQuery(id));
  const show = useCallback((item: HTMLElement | null) => item?.scrollIntoView({ block: "center" }), []);
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!chunks) return <Spinner label={t`Loading the passages`} />;
  if (chunks.length === 0) return <p>{t`No text was found in this document, so it has no passages.`}</p>;
  return (
    <ol className={styles.chunks}>
      {chunks.map((chunk) => (
        <li key={chunk.id} ref={chunk.id === chosen ? show : undefined} className={classes(styles.chunk, chunk.id === chosen && styles.chosen)}>
          <p className={styles.place}>
            {[t`Passage ${(chunk.position ?? 0) + 1}`, chunk.page ? t`page ${chunk.page}` : "", ...(chunk.heading ?? [])].filter(Boolean).join(" › ")}
          </p>
          <p className={styles.passage}>{chunk.text}</p>
        </li>
      ))}
    </ol>
  );
}

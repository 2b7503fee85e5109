import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { rerankersQuery } from "@/data/rerankers";
import { Button } from "@/ui/Button";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { RerankerDialog } from "./RerankerDialog";
import { RerankerRow } from "./RerankerRow";
import styles from "../embedding/EmbeddingModels.module.css";

/** The models that order the passages of searches. */
export function Rerankers() {
  const { t } = useLingui();
  const [isAdding, setAdding] = useState(false);
  const { data: rerankers, error, refetch } = useQuery(rerankersQuery);
  return (
    <section aria-label={t`Rerankers`}>
      <h2>
        <Trans>Rerankers</Trans>
      </h2>
      <p>
        <Trans>
          A reranker compares the best passages of each search with the question once more, and puts those first that answer it. At most
          one is active; without one, searches have their own order.
        </Trans>
      </p>
      <QueryView error={error} onRetry={refetch} isPending={!rerankers} label={t`Loading rerankers`} />
      {rerankers && (
        <Rows label={t`Rerankers`} whenEmpty={t`There is no reranker.`}>
          {rerankers.map((reranker) => (
            <RerankerRow key={reranker.id} reranker={reranker} />
          ))}
        </Rows>
      )}
      {rerankers && (
        <div className={styles.add}>
          <Button onClick={() => setAdding(true)}>
            <Plus size={16} /> <Trans>Add a reranker</Trans>
          </Button>
        </div>
      )}
      {isAdding && <RerankerDialog onClose={() => setAdding(false)} />}
    </section>
  );
}

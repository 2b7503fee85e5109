import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { embeddingModelsQuery } from "@/data/embedding-models";
import { Button } from "@/ui/Button";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { EmbeddingModelDialog } from "./EmbeddingModelDialog";
import { EmbeddingModelRow } from "./EmbeddingModelRow";
import { LanguageNotice } from "./LanguageNotice";
import styles from "./EmbeddingModels.module.css";

/** The models that find passages by their meaning, and what their indexes do. */
export function EmbeddingModels() {
  const { t } = useLingui();
  const [isAdding, setAdding] = useState(false);
  const { data: models, error, refetch } = useQuery(embeddingModelsQuery);
  return (
    <section aria-label={t`Embedding models`}>
      <h2>
        <Trans>Embedding models</Trans>
      </h2>
      <p>
        <Trans>
          They find passages by their meaning. Another model needs another index: it is filled from the stored passages while questions
          are answered as before, and becomes active when it is complete.
        </Trans>
      </p>
      <QueryView error={error} onRetry={refetch} isPending={!models} label={t`Loading embedding models`} />
      {models && <LanguageNotice models={models} />}
      {models && (
        <Rows label={t`Embedding models`} whenEmpty={t`There is no embedding model.`}>
          {models.map((model) => (
            <EmbeddingModelRow key={model.id} model={model} />
          ))}
        </Rows>
      )}
      {models && (
        <div className={styles.add}>
          <Button onClick={() => setAdding(true)}>
            <Plus size={16} /> <Trans>Add an embedding model</Trans>
          </Button>
        </div>
      )}
      {isAdding && <EmbeddingModelDialog onClose={() => setAdding(false)} />}
    </section>
  );
}

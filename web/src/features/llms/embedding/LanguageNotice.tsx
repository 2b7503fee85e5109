import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { connectorsQuery, isGuide } from "@/data/connectors";
import { sampleDocumentsQuery } from "@/data/documents";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import type { EmbeddingModelJson } from "@/gen/echomind/public/v1/embedding_model_pb";
import { formatLanguage } from "@/ui/format";
import { Notice } from "@/ui/Notice";

/** The built-in models, which name no languages: `embeddings/model_ids.py`. */
const ENGLISH = "all-MiniLM-L6-v2-int8";
const MULTILINGUAL = "multilingual-e5-small-int8";
/** Share of the documents in one language from which on the model matters. */
const SHARE = 0.2;

/** Says that many of the newest documents are in a language that the active model does not know, and which model does. */
export function LanguageNotice({ models }: { models: readonly EmbeddingModelJson[] }) {
  const active = models.find(({ isActive }) => isActive);
  const known = active?.modelId === ENGLISH ? ["en"] : (active?.languages ?? []);
  const { data: connectors } = useQuery(connectorsQuery);
  const { data: documents = [] } = useQuery({ ...sampleDocumentsQuery, enabled: known.length > 0 });
  const other = models.find(({ modelId, status }) => modelId === MULTILINGUAL && status !== "EMBEDDING_MODEL_STATUS_BUILDING");
  if (known.length === 0 || !connectors || !other || other.isActive) return null;
  const guides = connectors.filter(isGuide).map(({ id }) => id);
  const own = documents.filter(({ connectorId, language }) => language && !guides.includes(connectorId));
  const found = commonest(own, known);
  if (!found || found.count < own.length * SHARE) return null;
  const { count } = found;
  const total = own.length;
  const language = formatLanguage(found.language);
  const name = other.modelName ?? "";
  return (
    <Notice tone="warn">
      <Trans>
        {count} of the {total} newest documents are in {language}, which the active embedding model does not know: there they are found by
        words alone. Activate {name} to find them by their meaning.
      </Trans>
    </Notice>
  );
}

/** The language of most documents among those that a model does not know. */
function commonest(documents: readonly DocumentJson[], known: readonly string[]): { language: string; count: number } | undefined {
  const counts = new Map<string, number>();
  for (const { language = "" } of documents) if (!known.includes(language)) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [first] = [...counts].sort(([, one], [, other]) => other - one);
  return first && { language: first[0], count: first[1] };
}

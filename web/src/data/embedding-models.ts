/** Queries and mutations of embedding models. */
import { t } from "@lingui/core/macro";
import { queryOptions, useMutation } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { EmbeddingModelJson } from "@/gen/echomind/public/v1/embedding_model_pb";
import {
  activateEmbeddingModel,
  createEmbeddingModel,
  deleteEmbeddingModel,
  dropEmbeddingIndex,
  getEmbeddingIndexProgress,
  listEmbeddingModels,
  testEmbeddingModel,
  updateEmbeddingModel,
} from "@/gen/echomind/public/v1/embedding_model_service_client";
import { changesOf } from "./changes";

/** The server's name for the built-in multilingual model. */
const MULTILINGUAL = "Multilingual E5 small (many languages)";
/** How often the state of an index that is being filled or deleted is read. */
const LIVE_MS = 2000;

const keys = { list: ["embedding-models"] as const, progress: (id: number) => ["embedding-models", id, "progress"] as const };

/** All embedding models; read again at intervals while an index is being filled or deleted. */
export const embeddingModelsQuery = queryOptions({
  queryKey: keys.list,
  queryFn: async ({ signal }) => (await readAll(listEmbeddingModels, "embeddingModels", {}, signal)).map(named),
  refetchInterval: ({ state }) => (state.data?.some(isChanging) ? LIVE_MS : false),
});

/** How far the index of a model is filled. */
export const indexProgressQuery = (id: number) =>
  queryOptions({
    queryKey: keys.progress(id),
    queryFn: ({ signal }) => getEmbeddingIndexProgress({ id }, { signal }),
    refetchInterval: LIVE_MS,
  });

/** A model with its name in the language of the page, if it is the built-in one as it was installed. */
function named(model: EmbeddingModelJson): EmbeddingModelJson {
  return model.modelName === MULTILINGUAL ? { ...model, modelName: t`Multilingual E5 small (many languages)` } : model;
}

function isChanging({ status }: EmbeddingModelJson): boolean {
  return status === "EMBEDDING_MODEL_STATUS_BUILDING" || status === "EMBEDDING_MODEL_STATUS_DROPPING";
}

const useChange = changesOf(keys.list);

/** Makes a model the active one, or begins to fill its index. */
export function useActivateEmbeddingModel() {
  return useChange(({ id, withoutFailed = false }: { id: number; withoutFailed?: boolean }) =>
    activateEmbeddingModel({ id, withoutFailed }),
  );
}

/** Deletes the index of a model that is not active. */
export function useDropEmbeddingIndex() {
  return useChange((id: number) => dropEmbeddingIndex({ id }));
}

/** Stores a model of a server, which is tested first: a new one, or the given fields of the one with this id. */
export function useSaveEmbeddingModel() {
  return useChange(({ id, ...embeddingModel }: EmbeddingModelJson) =>
    id ? updateEmbeddingModel({ id, embeddingModel }) : createEmbeddingModel({ embeddingModel }),
  );
}

/** Removes a model of a server. */
export function useDeleteEmbeddingModel() {
  return useChange((id: number) => deleteEmbeddingModel({ id }));
}

/** Lets a stored model find the right passages for some questions. */
export function useTestEmbeddingModel() {
  return useMutation({ mutationFn: (id: number) => testEmbeddingModel({ id }) });
}

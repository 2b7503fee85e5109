/** Changes of collections, which are connectors of uploaded files. */
import { createConnector, deleteConnector, updateConnector } from "@/gen/echomind/public/v1/connector_service_client";
import type { Audience } from "./audiences";
import { changesOf } from "./changes";
import { connectorKeys } from "./connectors";

/** Settings of a collection. */
export interface CollectionValues {
  name: string;
  audience: Audience;
}

/** A change of a connector, after which it is read again with the documents. */
const useConnectorChange = changesOf(connectorKeys.list, ["documents"]);

/** Adds a collection: a connector of files. */
export function useCreateCollection() {
  return useConnectorChange(({ name, audience }: CollectionValues) =>
    createConnector({ connector: { name, type: "CONNECTOR_TYPE_FILE", scope: audience.scope, scopeId: audience.group } }),
  );
}

/** Changes the name or the visibility of a collection. */
export function useUpdateCollection(id: number) {
  return useConnectorChange(({ name, audience }: CollectionValues) =>
    updateConnector({ id, connector: { name, scope: audience.scope, scopeId: audience.group } }),
  );
}

/** Deletes a collection with its documents. */
export function useDeleteCollection(id: number) {
  return useConnectorChange(() => deleteConnector({ id }));
}

/** Queries and mutations of connectors, and who may read and change their documents. */
import { t } from "@lingui/core/macro";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { createConnector, deleteConnector, disconnectAccount, listConnectedAccounts, listConnectors, updateConnector } from "@/gen/echomind/public/v1/connector_service_client";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import type { Audience } from "./audiences";
import { changesOf } from "./changes";
import { displayName, hasRole, useCurrentUser, usersQuery } from "./users";

/** Query keys of connectors. */
export const connectorKeys = { list: ["connectors"] as const, accounts: ["connected-accounts"] as const };

/** All connectors that the reader may read. */
export const connectorsQuery = queryOptions({
  queryKey: connectorKeys.list,
  queryFn: ({ signal }) => readAll(listConnectors, "connectors", {}, signal),
});

/** The reader's own accounts that connectors read with. */
export const connectedAccountsQuery = queryOptions({
  queryKey: connectorKeys.accounts,
  queryFn: ({ signal }) => readAll(listConnectedAccounts, "accounts", {}, signal),
});

/** Takes a sign-in of the reader's back. */
export function useDisconnectAccount() {
  return useAccountChange((id: number) => disconnectAccount({ id }));
}

const useAccountChange = changesOf(connectorKeys.accounts, connectorKeys.list);

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

/** Whether a person may change a connector's documents. */
export function mayManage(user: UserJson, connector: ConnectorJson | undefined): boolean {
  if (!connector) return false;
  if (hasRole(user, "ROLE_SUPERADMIN")) return true;
  if (connector.scope === "SCOPE_ORG") return false;
  if (connector.scope === "SCOPE_GROUP") {
    return hasRole(user, "ROLE_ADMIN") && (user.groups ?? []).includes(connector.scopeId ?? "");
  }
  return connector.userId === user.id;
}

/** Returns what describes who can read a connector's documents. Superadmins see other people's private ones, with their owners. */
export function useReaders(): (connector: ConnectorJson | undefined) => string {
  const me = useCurrentUser();
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const isOthers = ({ scope, userId }: ConnectorJson) => scope === "SCOPE_USER" && userId !== me.id;
  const { data: users = [] } = useQuery({ ...usersQuery, enabled: connectors.some(isOthers) });
  return (connector) => {
    const group = connector?.scopeId ?? "";
    if (connector?.scope === "SCOPE_ORG") return t`Everyone`;
    if (connector?.scope === "SCOPE_GROUP") return t`Group ${group}`;
    if (!connector || !isOthers(connector)) return t`Only me`;
    const owner = users.find(({ id }) => id === connector.userId);
    return owner ? t`Only ${displayName(owner)}` : t`Only its owner`;
  };
}

/** Describes who can read a connector that the reader has signed in for. */
export function readersOf(scope: ConnectorJson["scope"], group = ""): string {
  if (scope === "SCOPE_ORG") return t`Everyone`;
  return scope === "SCOPE_GROUP" ? t`Group ${group}` : t`Only its owner`;
}

/** Whether it is the collection that every installation begins with: documents about EchoMind, not the reader's. */
export function isGuide({ name }: ConnectorJson): boolean {
  return name === "EchoMind guide";
}

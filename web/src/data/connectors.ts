/** Connectors, and who may read and change their documents. */
import { t } from "@lingui/core/macro";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { listConnectors } from "@/gen/echomind/public/v1/connector_service_client";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { displayName, hasRole, useCurrentUser, usersQuery } from "./users";

/** Query keys of connectors. */
export const connectorKeys = { list: ["connectors"] as const };

/** All connectors that the reader may read. */
export const connectorsQuery = queryOptions({
  queryKey: connectorKeys.list,
  queryFn: ({ signal }) => readAll(listConnectors, "connectors", {}, signal),
});

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

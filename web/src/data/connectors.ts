/** Connectors: where documents come from, and who may read and change them. */
import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { listConnectors } from "@/gen/echomind/public/v1/connector_service_client";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { hasRole } from "./users";

/** Where connectors are kept. */
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

/** Whom an upload is for. */
export interface Audience {
  /** Identifies it in a choice. */
  value: string;
  label: string;
  scope: "SCOPE_USER" | "SCOPE_GROUP" | "SCOPE_ORG";
  group: string;
}

/** Whom a person may upload for, the person alone first. */
export function audiencesOf(user: UserJson): [Audience, ...Audience[]] {
  const own: Audience = { value: "user", label: "Only me", scope: "SCOPE_USER", group: "" };
  if (!hasRole(user, "ROLE_ADMIN")) return [own];
  const groups = (user.groups ?? []).map((group) => ({
    value: `group:${group}`,
    label: `Group ${group}`,
    scope: "SCOPE_GROUP" as const,
    group,
  }));
  const everyone = { value: "org", label: "Everyone in the organisation", scope: "SCOPE_ORG" as const, group: "" };
  return [own, ...groups, ...(hasRole(user, "ROLE_SUPERADMIN") ? [everyone] : [])];
}

/** Who reads a connector's documents, in words. */
export function readersOf(connector: ConnectorJson | undefined): string {
  if (connector?.scope === "SCOPE_ORG") return "Everyone";
  if (connector?.scope === "SCOPE_GROUP") return `Group ${connector.scopeId ?? ""}`;
  return "Only me";
}

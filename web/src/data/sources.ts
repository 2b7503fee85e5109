/** Synced sources: their types, settings and syncs. */
import { i18n } from "@lingui/core";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { ConnectorJson, ConnectorSyncJson } from "@/gen/echomind/public/v1/connector_pb";
import type { TestConnectorRequestJson } from "@/gen/echomind/public/v1/connector_service_pb";
import {
  completeConnectorSignIn,
  createConnector,
  disableConnector,
  enableConnector,
  listConnectorTypes,
  pauseConnector,
  resumeConnector,
  startConnectorSignIn,
  testConnector,
  updateConnector,
} from "@/gen/echomind/public/v1/connector_service_client";
import {
  cancelConnectorSync,
  confirmConnectorSync,
  listConnectorSyncFailures,
  listConnectorSyncRemovals,
  listConnectorSyncs,
  rejectConnectorSync,
  syncConnector,
} from "@/gen/echomind/public/v1/connector_sync_service_client";
import { connectorKeys } from "./connectors";

/** Query keys of syncs, below those of connectors, so that both are invalidated together. */
const syncsKey = (connectorId: number) => [...connectorKeys.list, "syncs", connectorId];

/** Message from a sign-in window to its opener; only pages of this server can listen. */
const SIGNED_IN = "echomind.connector-sign-in";
const SYNCS_SHOWN = 10;

/** The types of sources that are installed, in the language of the page. The server itself describes them in English. */
export const connectorTypesQuery = queryOptions({
  queryKey: ["connector-types"],
  queryFn: async ({ signal }) => {
    const types = (await listConnectorTypes({}, { signal })).types ?? [];
    return i18n.locale === "de" ? translated(types, (await import("@/locales/de/connector-types.json")).default) : types;
  },
});

const TRANSLATED = ["title", "description", "choiceTitles"];

/** A value with its titles and descriptions translated, except those of other packages' types. */
function translated<Value>(value: Value, words: Readonly<Record<string, string>>): Value {
  const copy = (part: unknown, name: string): unknown => {
    if (typeof part === "string") return TRANSLATED.includes(name) ? (words[part] ?? part) : part;
    if (Array.isArray(part)) return part.map((item) => copy(item, name));
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, copy(item, key)]));
  };
  return copy(value, "") as Value;
}

/** The newest syncs of a source. */
export const syncsQuery = (connectorId: number) =>
  queryOptions({
    queryKey: syncsKey(connectorId),
    queryFn: async ({ signal }) => (await listConnectorSyncs({ connectorId, pageSize: SYNCS_SHOWN }, { signal })).syncs ?? [],
  });

/** Items that a sync could not read. */
export const failuresQuery = (sync: ConnectorSyncJson) =>
  queryOptions({
    queryKey: [...syncsKey(sync.connectorId ?? 0), "failures", sync.id, sync.failures],
    queryFn: async ({ signal }) => (await listConnectorSyncFailures({ id: sync.id ?? "", pageSize: 100 }, { signal })).failures ?? [],
  });

/** Documents that a waiting sync would remove. */
export const removalsQuery = (sync: ConnectorSyncJson) =>
  queryOptions({
    queryKey: [...syncsKey(sync.connectorId ?? 0), "removals", sync.id],
    queryFn: ({ signal }) => readAll(listConnectorSyncRemovals, "removals", { id: sync.id ?? "" }, signal),
  });

/** Whether a source is synced; uploads are not. */
export function isSynced(connector: ConnectorJson): boolean {
  return connector.type !== "CONNECTOR_TYPE_FILE" || Boolean((connector.config as { folder?: string } | undefined)?.folder);
}

/** Adds a source. */
export const useAddSource = () => useChange((connector: ConnectorJson) => createConnector({ connector }));

/** Changes the settings of a source. */
export const useUpdateSource = (id: number) => useChange((connector: ConnectorJson) => updateConnector({ id, connector }));

/** Tries whether a source can be read. */
export function useTestSource() {
  return useMutation({ mutationFn: async (request: TestConnectorRequestJson) => (await testConnector(request)).checks ?? [] });
}

const ACTIONS = {
  sync: (id: number) => syncConnector({ id }),
  syncFully: (id: number) => syncConnector({ id, full: true }),
  cancel: (id: number) => cancelConnectorSync({ id }),
  pause: (id: number) => pauseConnector({ id }),
  resume: (id: number) => resumeConnector({ id }),
  disable: (id: number) => disableConnector({ id }),
  enable: (id: number) => enableConnector({ id }),
};

/** Actions of a source. */
export type SourceAction = keyof typeof ACTIONS;

/** Does something with a source. */
export const useSourceAction = (id: number) => useChange<SourceAction, unknown>((action) => ACTIONS[action](id));

/** Confirms or declines the removals of a waiting sync. */
export const useAnswerSync = (sync: ConnectorSyncJson) =>
  useChange((isConfirmed: boolean) => (isConfirmed ? confirmConnectorSync : rejectConnectorSync)({ id: sync.id ?? "" }));

/**
 * Completes a sign-in with the provider's parameters and notifies the page that started it, or redirects to the
 * provider.
 */
export function useSignIn() {
  return useMutation({
    mutationFn: async ({ connector = "", state = "", code = "", error = "" }: Readonly<Record<string, string>>) => {
      if (state) return await completeConnectorSignIn({ state, code, error });
      location.assign(await signInUrl(Number(connector)));
      return undefined;
    },
    onSuccess: (connector) => {
      if (!connector) return;
      const channel = new BroadcastChannel(SIGNED_IN);
      channel.postMessage(connector.id);
      channel.close();
    },
  });
}

/** The page of a sign-in for a source. */
export async function signInUrl(id: number): Promise<string> {
  return (await startConnectorSignIn({ id })).url ?? "";
}

/** Subscribes to sign-ins for a source in other windows; returns the function that unsubscribes. */
export function onSignedIn(id: number, callback: () => void): () => void {
  const channel = new BroadcastChannel(SIGNED_IN);
  channel.onmessage = ({ data }: MessageEvent<number>) => data === id && callback();
  return () => channel.close();
}

function useChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => client.invalidateQueries({ queryKey: connectorKeys.list }) });
}

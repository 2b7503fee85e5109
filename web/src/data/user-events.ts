/** Changes for the reader, as pushed by the server: one tab listens and forwards them to the others. */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import type { UserEventJson } from "@/gen/echomind/public/v1/user_event_pb";
import { streamUserEvents } from "@/gen/echomind/public/v1/user_service_client";
import { countsByConnectorQuery, countsByStatusQuery } from "./connector-counts";
import { connectorKeys } from "./connectors";
import { documentKeys } from "./documents";
import { notebookKeys } from "./notebooks";
import { runKeys } from "./runs";
import { sessionKeys } from "./sessions";
import { userKeys } from "./users";

/** The name of the listening tab's lock, and of the channel by which it notifies the others. */
const NAME = "echomind.user-events";
const RETRY_MS = [1000, 2000, 5000, 15_000, 30_000];
/** Delay during which changes are collected before lists are refreshed. */
const GATHER_MS = 500;

/** Adds an event; `isFirstHand` in the one tab that is connected to the server. */
type OnEvent = (event: UserEventJson, isFirstHand: boolean) => void;

/**
 * Subscribes to user events, from the server or from the tab that is connected; returns the function that unsubscribes.
 */
export function followUserEvents(onEvent: OnEvent): () => void {
  const ended = new AbortController();
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<UserEventJson>) => onEvent(data, false);
  const tell = (event: UserEventJson) => {
    channel.postMessage(event);
    onEvent(event, true);
  };
  const listening = () => listen(tell, ended.signal);
  // Web Locks require a secure context; without them each tab opens its own stream.
  const locks = (navigator as Partial<Navigator>).locks;
  const work = locks ? locks.request(NAME, { signal: ended.signal }, listening) : listening();
  work.catch(() => undefined); // aborted while it waited for the lock
  return () => {
    ended.abort();
    channel.close();
  };
}

/** Reads the stream again and again, until it is ended or the reader is not signed in any more. */
async function listen(tell: (event: UserEventJson) => void, ended: AbortSignal): Promise<void> {
  const isEnded = () => ended.aborted;
  for (let failures = 0; !isEnded(); failures += 1) {
    try {
      for await (const event of await streamUserEvents({}, { signal: ended })) {
        failures = 0;
        if (!isEnded()) tell(event);
      }
    } catch (error) {
      if (isEnded() || (error instanceof ApiError && error.status === 401)) return;
    }
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, ended);
  }
}

function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

/**
 * Invalidates the queries of changed resources, at most every half second.
 *
 * @param isFollowed Whether the page follows a session's own stream, which reports all changes of the session.
 */
export function createRefresher(client: QueryClient, isFollowed: (session: string) => boolean): (event: UserEventJson) => void {
  const stale = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = () => {
    timer = undefined;
    for (const queryKey of stale.values()) void client.invalidateQueries({ queryKey });
    stale.clear();
  };
  return (event) => {
    const ofSessions = changedSessions(client, event).map((id) => (isFollowed(id) ? sessionKeys.detail(id) : sessionKeys.whole(id)));
    for (const key of [...keysOf(event), ...ofSessions]) stale.set(JSON.stringify(key), key);
    timer ??= setTimeout(refresh, GATHER_MS);
  };
}

/** The cached sessions whose messages may have changed, by someone else or on another device. */
function changedSessions(client: QueryClient, { kind, id = "" }: UserEventJson): string[] {
  if (kind === "USER_EVENT_KIND_SESSION") return [id];
  if (kind !== "USER_EVENT_KIND_NOTEBOOK") return [];
  const opened = client.getQueriesData<ChatSessionJson>({ queryKey: sessionKeys.all, predicate: ({ queryKey }) => queryKey[2] === "detail" });
  return opened.flatMap(([, session]) => (session?.id && session.notebookId === id ? [String(session.id)] : []));
}

/** Other queries that an event invalidates. */
function keysOf({ kind, id = "" }: UserEventJson): readonly QueryKey[] {
  switch (kind) {
    case "USER_EVENT_KIND_RESYNC":
      return [sessionKeys.all, runKeys.lists, documentKeys.lists, connectorKeys.list, notebookKeys.all, userKeys.current];
    case "USER_EVENT_KIND_SESSION":
      return [sessionKeys.lists];
    case "USER_EVENT_KIND_RUN":
      return [runKeys.lists, runKeys.whole(id)];
    case "USER_EVENT_KIND_INBOX":
      return [runKeys.waiting];
    case "USER_EVENT_KIND_DOCUMENT":
      return [documentKeys.lists, documentKeys.detail(id)];
    case "USER_EVENT_KIND_CONNECTOR":
      return [connectorKeys.list, countsByConnectorQuery.queryKey, countsByStatusQuery(Number(id)).queryKey];
    case "USER_EVENT_KIND_NOTEBOOK":
      return [notebookKeys.lists, notebookKeys.whole(id)];
    case "USER_EVENT_KIND_SETTINGS":
      return [userKeys.current];
    default:
      return [];
  }
}

/** What the chat pages read and change over the API. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { request, send } from "@/api/http";
import { pagedQuery, readAll } from "@/api/pages";
import type { FeedbackJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { ChatSessionJson, ListChatSessionsResponseJson } from "@/gen/echomind/public/v1/chat_session_pb";
import type {
  ChatMessageJson,
  ListStepsResponseJson,
  RunJson,
  StepJson,
} from "@/gen/echomind/public/v1/run_pb";
import { Conversations, NEW_SESSION } from "./live/conversations";

const SESSIONS = "/api/v1/chat-sessions";

/** The reader's sessions, the one with the newest message first. */
export const sessionsQuery = pagedQuery<ListChatSessionsResponseJson>(["chat-sessions"], SESSIONS);

/** One session. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["chat-session", id],
    queryFn: ({ signal }) => request<ChatSessionJson>("GET", `${SESSIONS}/${id}`, { signal }),
  });

/** All messages of a session, oldest first. */
export const messagesQuery = (id: string) =>
  queryOptions({
    queryKey: ["messages", id],
    queryFn: ({ signal }) => readAll<ChatMessageJson>(`${SESSIONS}/${id}/messages`, "messages", {}, signal),
  });

/** All runs of a session, newest first. */
export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ["runs", id],
    queryFn: ({ signal }) => readAll<RunJson>("/api/v1/runs", "runs", { chatSessionId: id }, signal),
  });

/** The steps of a finished run. */
export const stepsQuery = (runId: string) =>
  queryOptions({
    queryKey: ["steps", runId],
    queryFn: async ({ signal }): Promise<StepJson[]> =>
      (await request<ListStepsResponseJson>("GET", `/api/v1/runs/${runId}/steps`, { signal })).steps ?? [],
    staleTime: Infinity,
  });

export function renameSession(id: number, title: string): Promise<ChatSessionJson> {
  return request("PATCH", `${SESSIONS}/${id}`, { body: { title } });
}

export function deleteSession(id: number): Promise<unknown> {
  return request("DELETE", `${SESSIONS}/${id}`);
}

/** Ends, or lets go on, a run. */
export function controlRun(runId: string, control: "cancel" | "resume"): Promise<RunJson> {
  return request("POST", `/api/v1/runs/${runId}:${control}`, { body: {} });
}

export function setFeedback(messageId: string, feedback: FeedbackJson): Promise<FeedbackJson> {
  return request("PUT", `/api/v1/messages/${messageId}/feedback`, { body: feedback });
}

/** The conversations at work, joined to the API, to what is read already, and to the address bar. */
export function createConversations(client: QueryClient, openSession: (id: string) => void): Conversations {
  const cursorKey = (session: string) => `echomind.events.${session}`;
  const setMessages = (session: string, change: (messages: ChatMessageJson[]) => ChatMessageJson[]) =>
    client.setQueryData<ChatMessageJson[]>(messagesQuery(session).queryKey, (messages) => messages && change(messages));
  return new Conversations({
    ask: (session, { content, requestId, assistantId }, signal) =>
      send("POST", `${SESSIONS}/${session}/messages:stream`, {
        body: { content, requestId, ...(session === NEW_SESSION && assistantId && { assistantId }) },
        headers: { Accept: "text/event-stream" },
        signal,
      }),
    events: (session, after, signal) =>
      send("GET", `${SESSIONS}/${session}/events`, {
        query: { after: String(after) },
        headers: { Accept: "text/event-stream" },
        signal,
      }),
    // Of this tab alone: another tab's cursor could lie beyond what this one has on its page.
    readCursor: (session) => BigInt(sessionStorage.getItem(cursorKey(session)) ?? 0),
    writeCursor: (session, id) => sessionStorage.setItem(cursorKey(session), String(id)),
    onQueued: (session, question, { runId, queued }, isNewSession) => {
      const user = queued?.userMessage ?? { role: "MESSAGE_ROLE_USER", content: question.content };
      const answer: ChatMessageJson = {
        role: "MESSAGE_ROLE_ASSISTANT",
        status: "MESSAGE_STATUS_STREAMING",
        id: queued?.assistantMessageId ?? "",
        runId: runId ?? "",
      };
      if (isNewSession) client.setQueryData(messagesQuery(session).queryKey, [user, answer]);
      else setMessages(session, (messages) => [...messages.filter(({ id }) => id !== user.id && id !== answer.id), user, answer]);
      if (isNewSession) openSession(session);
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onFinished: (session, message) => {
      setMessages(session, (messages) => messages.map((old) => (old.id === message.id ? { ...old, ...message } : old)));
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      void client.invalidateQueries({ queryKey: runsQuery(session).queryKey });
    },
    onFailed: (session) => {
      if (session !== NEW_SESSION) void client.invalidateQueries({ queryKey: messagesQuery(session).queryKey });
    },
  });
}

/** What the chat pages read and change over the API. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { request, send } from "@/api/http";
import { pagedQuery, readAll } from "@/api/pages";
import { currentUserQuery } from "@/features/users/current-user";
import type { FeedbackJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SendMessageResponseJson } from "@/gen/echomind/public/v1/chat_message_service_pb";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import type { ListChatSessionsResponseJson } from "@/gen/echomind/public/v1/chat_session_service_pb";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Conversations, NEW_SESSION } from "@/features/chat/live/conversations";
import type { Feed } from "@/features/chat/live/feed";
import { runsQuery, runTreeQuery, stepsQuery } from "@/features/chat/trace/runs";
import { todosQuery } from "@/features/chat/plan/todos";

const SESSIONS = "/api/v1/chat-sessions";
const COMPRESSING_MS = 2000;

/** The reader's sessions, the one with the newest message first. */
export const sessionsQuery = pagedQuery<ListChatSessionsResponseJson>(["chat-sessions"], SESSIONS);

/** One session. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ["chat-session", id],
    queryFn: ({ signal }) => request<ChatSessionJson>("GET", `${SESSIONS}/${id}`, { signal }),
    // The summary is made in the background, when perhaps nobody follows the session's events.
    refetchInterval: ({ state }) => (state.data?.isCompressing ? COMPRESSING_MS : false),
  });

/** All messages of a session's shown branch, oldest first. */
export const messagesQuery = (id: string) =>
  queryOptions({
    queryKey: ["messages", id],
    queryFn: ({ signal }) => readAll<ChatMessageJson>(`${SESSIONS}/${id}/messages`, "messages", {}, signal),
  });

export function renameSession(id: number, title: string): Promise<ChatSessionJson> {
  return request("PATCH", `${SESSIONS}/${id}`, { body: { title } });
}

export function deleteSession(id: number): Promise<unknown> {
  return request("DELETE", `${SESSIONS}/${id}`);
}

/** Deletes a conversation for good, with all that was said in it. */
export function purgeSession(id: number): Promise<unknown> {
  return request("POST", `${SESSIONS}/${id}:purge`, { body: {} });
}

/** Changes what a conversation works towards; empty takes it away. */
export function setGoal(id: string, goal: string): Promise<ChatSessionJson> {
  return request("PATCH", `${SESSIONS}/${id}`, { body: { goal } });
}

/** Changes which assistant answers in a conversation. */
export function changeAssistant(id: string, assistantId: number): Promise<ChatSessionJson> {
  return request("PATCH", `${SESSIONS}/${id}`, { body: { assistantId } });
}

/** Asks for the earlier messages to be summarized. */
export function compressSession(id: string): Promise<ChatSessionJson> {
  return request("POST", `${SESSIONS}/${id}:compress`, { body: {} });
}

/** Begins a conversation of its own with the messages up to one. */
export function forkSession(id: string, messageId: string): Promise<ChatSessionJson> {
  return request("POST", `${SESSIONS}/${id}:fork`, { body: { messageId } });
}

/** Shows the branch that ends with a message ("0": none), or with the newest one after it. */
export function moveHead(id: string, messageId: string, toLatest: boolean): Promise<ChatSessionJson> {
  return request("POST", `${SESSIONS}/${id}:moveHead`, { body: { messageId, toLatest } });
}

/** Asks an edited question. */
export function editMessage(messageId: string, content: string, options: RunOptionsJson): Promise<SendMessageResponseJson> {
  return request("POST", `/api/v1/messages/${messageId}:edit`, { body: { content, options, requestId: newRequestId() } });
}

/** Answers a question once more. */
export function regenerateMessage(messageId: string, options: RunOptionsJson): Promise<SendMessageResponseJson> {
  return request("POST", `/api/v1/messages/${messageId}:regenerate`, { body: { options, requestId: newRequestId() } });
}

/** Excludes a message from later prompts, or includes it again. */
export function discardMessage(messageId: string, discarded: boolean): Promise<ChatMessageJson> {
  return request("POST", `/api/v1/messages/${messageId}:discard`, { body: { discarded } });
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
    ask: (session, { content, requestId, assistantId, options }, signal) =>
      send("POST", `${SESSIONS}/${session}/messages:stream`, {
        body: { content, requestId, options, ...(session === NEW_SESSION && assistantId && { assistantId }) },
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
    onFinished: (session, message, todos) => {
      setMessages(session, (messages) => messages.map((old) => (old.id === message.id ? withEnd(old, message) : old)));
      client.setQueryData<TodoJson[]>(todosQuery(session).queryKey, (known) => known && withPlans(known, todos));
      const { runId = "" } = message;
      const ofRun = [runTreeQuery(runId), stepsQuery(runId)];
      const changed = [sessionsQuery, sessionQuery(session), runsQuery(session), todosQuery(session), ...ofRun];
      for (const { queryKey } of changed) void client.invalidateQueries({ queryKey });
    },
    onFailed: (session, error) => {
      if (error.status === 401) client.setQueryData(currentUserQuery.queryKey, null);
      if (session !== NEW_SESSION) void client.invalidateQueries({ queryKey: messagesQuery(session).queryKey });
    },
  });
}

/** Makes a repeated request the same request. Not randomUUID(), which exists over HTTPS and on this machine only. */
export function newRequestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A message as its final event stored it. Events do not say which siblings it has. */
export function withEnd(message: ChatMessageJson, end: ChatMessageJson): ChatMessageJson {
  return { ...message, ...end, siblingIds: message.siblingIds ?? [] };
}

/** What is known of all plans, with those that changed as they are now. */
function withPlans(known: TodoJson[], changed: Feed["todos"]): TodoJson[] {
  return [...known.filter(({ runId = "" }) => !(runId in changed)), ...Object.values(changed).flat()];
}

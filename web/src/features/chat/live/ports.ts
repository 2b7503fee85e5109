/** Connects the active conversations to the API and the query cache. */
import type { QueryClient } from "@tanstack/react-query";
import { clearSentDraft, draftOf, type Draft } from "@/data/drafts";
import { messageKeys, messagesQuery, withEnd } from "@/data/messages";
import { runKeys } from "@/data/runs";
import { sessionKeys } from "@/data/sessions";
import { todoKeys, todosQuery } from "@/data/todos";
import { userKeys } from "@/data/users";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { streamMessage } from "@/gen/echomind/public/v1/chat_message_service_client";
import { streamSessionEvents } from "@/gen/echomind/public/v1/run_service_client";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { NEW_SESSION, type Ports, type Question } from "./conversations";
import type { Feed } from "./feed";

/**
 * Implements the ports of conversations with the API and the query cache.
 *
 * @param openSession Called with the id of a session that was created with its first question.
 */
export function createPorts(client: QueryClient, openSession: (id: string) => void): Ports {
  const cursorKey = (session: string) => `echomind.events.${session}`;
  // A request under way may bring the messages from before a change, and take away what is shown and written in since:
  // it is made again.
  const setMessages = async (session: string, change: (messages: ChatMessageJson[]) => ChatMessageJson[]) => {
    const { queryKey } = messagesQuery(session);
    const isBeingRead = client.isFetching({ queryKey, exact: true }) > 0;
    if (isBeingRead) await client.cancelQueries({ queryKey, exact: true });
    client.setQueryData(queryKey, (messages) => messages && change(messages));
    if (isBeingRead) await client.invalidateQueries({ queryKey, exact: true });
  };
  return {
    ask: (session, { content, requestId, assistantId, options, files = [] }, signal) => {
      const documentIds = files.map(({ documentId }) => documentId);
      const question = { chatSessionId: session, content, requestId, documentIds, ...(options && { options }) };
      const chosen = session === NEW_SESSION && assistantId ? { assistantId } : {};
      return streamMessage({ ...question, ...chosen }, { signal });
    },
    events: (session, after, signal) => streamSessionEvents({ chatSessionId: session, after: String(after) }, { signal }),
    // Per tab, because another tab's cursor may be ahead of the events that this page has shown.
    readCursor: (session) => BigInt(sessionStorage.getItem(cursorKey(session)) ?? 0),
    writeCursor: (session, id) => sessionStorage.setItem(cursorKey(session), String(id)),
    onQueued: (session, question, { runId, queued }, isNewSession) => {
      const stored = queued?.userMessage ?? { role: "MESSAGE_ROLE_USER", content: question.content };
      // Events do not contain the attachments.
      const user: ChatMessageJson = { ...stored, attachments: [...(question.files ?? [])] };
      clearSentDraft(client.getQueryData<UserJson>(userKeys.current), isNewSession ? NEW_SESSION : session, session);
      const answer: ChatMessageJson = {
        role: "MESSAGE_ROLE_ASSISTANT",
        status: "MESSAGE_STATUS_STREAMING",
        id: queued?.assistantMessageId ?? "",
        runId: runId ?? "",
      };
      if (isNewSession) client.setQueryData(messagesQuery(session).queryKey, [user, answer]);
      else void setMessages(session, (messages) => [...messages.filter(({ id }) => id !== user.id && id !== answer.id), user, answer]);
      if (isNewSession) openSession(session);
      void client.invalidateQueries({ queryKey: sessionKeys.lists });
    },
    onFinished: (session, message, todos) => {
      void setMessages(session, (messages) => messages.map((old) => (old.id === message.id ? withEnd(old, message) : old)));
      client.setQueryData(todosQuery(session).queryKey, (known) => known && withPlans(known, todos));
      const ofSession = [sessionKeys.lists, sessionKeys.detail(session), runKeys.ofSession(session), todoKeys.ofSession(session)];
      for (const queryKey of [...ofSession, runKeys.whole(message.runId ?? "")]) void client.invalidateQueries({ queryKey });
    },
    queued: (session) => {
      const draft = draftOf(client.getQueryData<UserJson>(userKeys.current), session);
      return draft.queuedAs ? questionOf(draft, draft.queuedAs) : undefined;
    },
    onFailed: (session, error) => {
      if (error.status === 401) client.setQueryData(userKeys.current, null);
      if (session !== NEW_SESSION) void client.invalidateQueries({ queryKey: messageKeys.ofSession(session) });
    },
  };
}

/** The question of a draft; undefined when nothing is written. */
export function questionOf({ text, files, assistantId, llmId, options }: Draft, requestId: string): Question | undefined {
  const content = text.trim();
  return content ? { content, requestId, assistantId, files, options: { ...options, ...(llmId && { llmId }) } } : undefined;
}

/** All plans, with the current state of those that changed. */
function withPlans(known: TodoJson[], changed: Feed["todos"]): TodoJson[] {
  return [...known.filter(({ runId = "" }) => !(runId in changed)), ...Object.values(changed).flat()];
}

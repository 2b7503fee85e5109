/** Queries and mutations of the messages of a chat session. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import { newRequestId } from "@/api/request-id";
import type { ChatMessageJson, FeedbackJson } from "@/gen/echomind/public/v1/chat_message_pb";
import {
  deleteCitationFeedback,
  deleteFeedback,
  excludeMessage,
  editMessage,
  getMessage,
  listMessages,
  regenerateMessage,
  sendMessage,
  setCitationFeedback,
  setFeedback,
} from "@/gen/echomind/public/v1/chat_message_service_client";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { sessionKeys, useSessionChange } from "./sessions";
import { setupKeys } from "./setup";

/** Query keys of messages. */
export const messageKeys = {
  ofSession: (session: string) => [...sessionKeys.whole(session), "messages"] as const,
};

/** All messages of a session's shown branch, oldest first. */
export const messagesQuery = (session: string) =>
  queryOptions({
    queryKey: messageKeys.ofSession(session),
    queryFn: ({ signal }) => readAll(listMessages, "messages", { chatSessionId: session }, signal),
  });

/** A message with its details: passages and tool calls. They do not change once it is complete. */
export const messageQuery = (id: string) =>
  queryOptions({ queryKey: ["messages", id], queryFn: ({ signal }) => getMessage({ id }, { signal }), staleTime: 60_000 });

/** Asks a question in a new conversation and returns its id. */
export function useAskFirst() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (content: string) => {
      const { userMessage } = await sendMessage({ chatSessionId: "-", content, requestId: newRequestId() });
      return userMessage?.chatSessionId ?? 0;
    },
    onSuccess: () => Promise.all([sessionKeys.lists, setupKeys.all].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Asks an edited question. */
export function useEditMessage(session: string) {
  return useSessionChange(session, (edited: { id: string; content: string; options: RunOptionsJson }) =>
    editMessage({ ...edited, requestId: newRequestId() }),
  );
}

/** Answers a question again. */
export function useRegenerateMessage(session: string) {
  return useSessionChange(session, (answer: { id: string; options: RunOptionsJson }) =>
    regenerateMessage({ ...answer, requestId: newRequestId() }),
  );
}

/** Excludes a message from later prompts, or includes it again. */
export function useExcludeMessage(session: string) {
  return useSessionChange(session, ({ id, isExcluded }: { id: string; isExcluded: boolean }) =>
    excludeMessage({ id, excluded: isExcluded }),
  );
}

/** The reader's rating of an answer. */
export type Rating = Pick<FeedbackJson, "isPositive" | "feedbackText">;

/** Rates an answer, replacing an earlier rating; without a rating, that one is withdrawn. */
export function useRateMessage({ id = "", chatSessionId }: ChatMessageJson) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (feedback: Rating | undefined) => {
      await (feedback ? setFeedback({ id, feedback }) : deleteFeedback({ id }));
    },
    onSuccess: (_, feedback) =>
      client.setQueryData(messagesQuery(String(chatSessionId)).queryKey, (messages) =>
        messages?.map((message) => (message.id === id ? { ...message, feedback } : message)),
      ),
  });
}

/** Rates a cited passage of an answer, replacing an earlier rating; without a rating, that one is withdrawn. */
export function useRateCitation({ id = "", chatSessionId }: ChatMessageJson, chunkId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (feedback: Rating | undefined) => {
      await (feedback ? setCitationFeedback({ messageId: id, chunkId, feedback }) : deleteCitationFeedback({ messageId: id, chunkId }));
    },
    onSuccess: (_, feedback) =>
      client.setQueryData(messagesQuery(String(chatSessionId)).queryKey, (messages) =>
        messages?.map((message) => (message.id === id ? withCitationRating(message, chunkId, feedback) : message)),
      ),
  });
}

function withCitationRating(message: ChatMessageJson, chunkId: string, feedback: Rating | undefined): ChatMessageJson {
  const citations = message.citations?.map((one) => (one.chunkId === chunkId ? { ...one, feedback } : one));
  return { ...message, citations };
}

/** A message as stored by its final event, which does not contain its siblings. */
export function withEnd(message: ChatMessageJson, end: ChatMessageJson): ChatMessageJson {
  return { ...message, ...end, siblingIds: message.siblingIds ?? [] };
}

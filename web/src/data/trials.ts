/** Trials: questions to the draft of an assistant, outside of the list of conversations. */
import { newRequestId } from "@/api/request-id";
import { streamMessage } from "@/gen/echomind/public/v1/chat_message_service_client";
import { createChatSession, deleteChatSession } from "@/gen/echomind/public/v1/chat_session_service_client";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";

/** Creates a conversation with a draft, and returns its ID. */
export async function beginTrial(assistantId: number): Promise<number> {
  const { id = 0 } = await createChatSession({ chatSession: { assistantId } });
  return id;
}

/** Asks a question in a trial and follows its run. */
export function askTrial(chatSessionId: number, content: string, signal: AbortSignal): Promise<AsyncGenerator<SessionEventJson>> {
  return streamMessage({ chatSessionId, content, requestId: newRequestId() }, { signal });
}

/** Removes a trial's conversation. */
export async function endTrial(id: number): Promise<void> {
  await deleteChatSession({ id });
}

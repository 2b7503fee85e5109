import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { CitationJson } from "@/gen/echomind/public/v1/run_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { Composer } from "./Composer";
import { useConversation, useConversations } from "./ConversationsContext";
import { NEW_SESSION } from "./live/conversations";
import { ModelNote, useModels } from "./ModelNote";
import { messagesQuery, controlRun, runsQuery } from "./queries";
import { Thread } from "./Thread";
import { Welcome } from "./Welcome";
import styles from "./ConversationView.module.css";

interface ConversationViewProps {
  sessionKey: string;
  /** The session's assistant; 0 means the default one. */
  assistantId: number;
  onOpenSource: (citation: CitationJson) => void;
}

/** One conversation: its messages, and where one writes the next question. */
export function ConversationView({ sessionKey, assistantId, onOpenSource }: ConversationViewProps) {
  const isNew = sessionKey === NEW_SESSION;
  const conversations = useConversations();
  const conversation = useConversation(sessionKey);
  const messages = useQuery({ ...messagesQuery(sessionKey), enabled: !isNew });
  const { data: runs = [] } = useQuery({ ...runsQuery(sessionKey), enabled: !isNew });
  const [chosenAssistant, setChosenAssistant] = useState(0);
  const [text, setText] = useState("");
  const [stopError, setStopError] = useState<string>();
  const assistant = isNew ? chosenAssistant : assistantId;
  const { current, isExtractive } = useModels(assistant);

  const streaming = messages.data?.findLast(({ status }) => status === "MESSAGE_STATUS_STREAMING");
  const isDone = streaming?.id !== undefined && streaming.id in conversation.feed.finished;
  const writing = isDone ? undefined : streaming;
  useEffect(() => {
    if (writing?.id && !conversation.error) void conversations.attach(sessionKey, writing.id);
  }, [conversations, sessionKey, writing?.id, conversation.error]);

  // The same function from one piece of text to the next, so that answers above need not be drawn again.
  const ask = useCallback(
    (content: string) => {
      const question = content.trim();
      if (!question || conversations.get(sessionKey).isFollowing) return;
      setText("");
      setStopError(undefined);
      void conversations.ask(sessionKey, { content: question, requestId: requestId(), assistantId: assistant });
    },
    [conversations, sessionKey, assistant],
  );
  const stop = async (runId: string) => {
    try {
      setStopError(undefined);
      await controlRun(runId, "cancel");
    } catch (error) {
      setStopError(error instanceof Error ? error.message : String(error));
    }
  };
  const retry = () => {
    const { question } = conversation;
    if (question) void conversations.ask(sessionKey, question);
    else conversations.dismiss(sessionKey);
  };
  const isEmpty = isNew ? !conversation.question : messages.data?.length === 0 && !conversation.question;
  const runId = writing?.runId;
  return (
    <>
      {messages.error && (
        <div className={styles.state}>
          <LoadFailure error={messages.error} onRetry={messages.refetch} />
        </div>
      )}
      {messages.isLoading && (
        <div className={styles.state}>
          <Spinner label="Loading the conversation" />
        </div>
      )}
      {isEmpty && <Welcome assistantId={chosenAssistant} onAssistantChange={setChosenAssistant} isNew={isNew} onAsk={ask} />}
      {!isEmpty && (messages.data || isNew) && (
        <Thread
          messages={messages.data ?? []}
          runs={runs}
          conversation={conversation}
          isExtractive={isExtractive}
          onOpenSource={onOpenSource}
          onAsk={ask}
        />
      )}
      {!messages.error && (
        <div className={styles.bottom}>
          {conversation.error && (
            <Notice
              tone="danger"
              actions={
                <Button size="sm" onClick={retry}>
                  Try again
                </Button>
              }
            >
              {conversation.error.message}
            </Notice>
          )}
          {stopError && <Notice tone="danger">{stopError}</Notice>}
          <Composer
            text={text}
            onTextChange={setText}
            onSend={() => ask(text)}
            onStop={runId ? () => void stop(runId) : undefined}
            isBusy={conversation.isFollowing || writing !== undefined}
          />
          <div className={styles.note}>{isExtractive(current) && <ModelNote />}</div>
        </div>
      )}
    </>
  );
}

/** Makes a repeated request the same request. Not randomUUID(), which exists over HTTPS and on this machine only. */
function requestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

import { ArrowDown } from "lucide-react";
import type { ReactNode } from "react";
import type { ChatMessageJson, CitationJson, RunJson } from "@/gen/echomind/public/v1/run_pb";
import { Button } from "@/ui/Button";
import { LiveAnswer } from "./LiveAnswer";
import type { Conversation } from "./live/conversations";
import { StoredAnswer } from "./StoredAnswer";
import { useStickToBottom } from "./use-stick-to-bottom";
import styles from "./Thread.module.css";

interface ThreadProps {
  messages: readonly ChatMessageJson[];
  runs: readonly RunJson[];
  conversation: Conversation;
  modelNote: (llmId: number | undefined) => ReactNode;
  onOpenSource: (citation: CitationJson) => void;
  onAsk: (content: string) => void;
}

/** The messages of a conversation, the live one last. */
export function Thread({ messages, runs, conversation, modelNote, onOpenSource, onAsk }: ThreadProps) {
  const { feed, question, isConnected } = conversation;
  const { ref, isAtBottom, toBottom } = useStickToBottom(question);
  const shown = messages.map((message) => ({ ...message, ...feed.finished[message.id ?? ""] }));
  return (
    <div className={styles.scroller} ref={ref}>
      <ol className={styles.thread} aria-label="Conversation">
        {shown.map((message, index) => (
          <li key={message.id || `new-${index}`} className={styles.message}>
            {message.role === "MESSAGE_ROLE_USER" ? (
              <UserMessage content={message.content ?? ""} />
            ) : message.status === "MESSAGE_STATUS_STREAMING" ? (
              <LiveAnswer
                run={feed.runs[message.runId ?? ""]}
                text={feed.texts[message.id ?? ""]?.text ?? message.content ?? ""}
                isConnected={isConnected}
              />
            ) : (
              <StoredAnswer
                message={message}
                run={runs.find((run) => run.id === message.runId)}
                modelNote={modelNote(runs.find((run) => run.id === message.runId)?.llmId)}
                onOpenSource={onOpenSource}
                onRetry={() => onAsk(shown[index - 1]?.content ?? "")}
              />
            )}
          </li>
        ))}
        {question && (
          <>
            <li className={styles.message}>
              <UserMessage content={question.content} />
            </li>
            {!conversation.error && (
              <li className={styles.message}>
                <LiveAnswer run={undefined} text="" isConnected={isConnected} />
              </li>
            )}
          </>
        )}
      </ol>
      {!isAtBottom && (
        <Button size="sm" className={styles.jump} onClick={toBottom}>
          <ArrowDown size={14} /> Newest
        </Button>
      )}
    </div>
  );
}

function UserMessage({ content }: { content: string }) {
  return (
    <div className={styles.question}>
      <span className="visually-hidden">You asked:</span>
      {content}
    </div>
  );
}

import { ArrowDown } from "lucide-react";
import { useMemo } from "react";
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
  /** Whether a model is the built-in one, which quotes and does not write. */
  isExtractive: (llmId: number) => boolean;
  onOpenSource: (citation: CitationJson) => void;
  onAsk: (content: string) => void;
}

/** The messages of a conversation, the live one last. */
export function Thread({ messages, runs, conversation, isExtractive, onOpenSource, onAsk }: ThreadProps) {
  const { feed, question, isConnected } = conversation;
  const { ref, isAtBottom, toBottom } = useStickToBottom(question);
  const runsById = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const shown = messages.map((message) => feed.finished[message.id ?? ""] ?? message);
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
                run={runsById.get(message.runId)}
                isQuoted={isExtractive(runsById.get(message.runId)?.llmId ?? 0)}
                question={shown[index - 1]?.content ?? ""}
                onOpenSource={onOpenSource}
                onAsk={onAsk}
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

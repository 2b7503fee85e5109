import { RotateCcw } from "lucide-react";
import { memo } from "react";
import { AnswerText } from "@/features/citations/AnswerText";
import type { ChatMessageJson, CitationJson, RunJson } from "@/gen/echomind/public/v1/run_pb";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { AnswerActions } from "./AnswerActions";
import { QuotedNote } from "./ModelNote";
import { SourceList } from "./SourceList";
import styles from "./Answer.module.css";

interface StoredAnswerProps {
  message: ChatMessageJson;
  run: RunJson | undefined;
  /** Whether the built-in model answered, which quotes and does not write. */
  isQuoted: boolean;
  /** What was asked. */
  question: string;
  onOpenSource: (citation: CitationJson) => void;
  onAsk: (content: string) => void;
}

const NONE: CitationJson[] = [];

/** An answer as it is stored: text, sources, how it ended, and what one can do with it. */
export const StoredAnswer = memo(function StoredAnswer(props: StoredAnswerProps) {
  const { message, run, isQuoted, question, onOpenSource, onAsk } = props;
  const { content = "", citations = NONE, status, error } = message;
  return (
    <div className={styles.answer}>
      {content && <AnswerText content={content} citations={citations} onOpen={onOpenSource} />}
      {status === "MESSAGE_STATUS_CANCELLED" && <p className={styles.stopped}>Stopped before it was finished.</p>}
      {status === "MESSAGE_STATUS_FAILED" && (
        <Notice
          tone="danger"
          actions={
            <Button size="sm" onClick={() => onAsk(question)}>
              <RotateCcw size={14} /> Ask again
            </Button>
          }
        >
          {error || "The answer failed."}
        </Notice>
      )}
      <SourceList citations={citations} onOpen={onOpenSource} />
      {isQuoted && <QuotedNote />}
      <AnswerActions message={message} run={run} />
    </div>
  );
});

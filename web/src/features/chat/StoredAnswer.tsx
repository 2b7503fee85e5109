import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { AnswerText } from "@/features/citations/AnswerText";
import type { ChatMessageJson, CitationJson, RunJson } from "@/gen/echomind/public/v1/run_pb";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { AnswerActions } from "./AnswerActions";
import { SourceList } from "./SourceList";
import styles from "./Answer.module.css";

interface StoredAnswerProps {
  message: ChatMessageJson;
  run: RunJson | undefined;
  /** A word on the model that answered, if there is one to say. */
  modelNote: ReactNode;
  onOpenSource: (citation: CitationJson) => void;
  /** Asks the question again. */
  onRetry: () => void;
}

const NONE: CitationJson[] = [];

/** An answer as it is stored: text, sources, how it ended, and what one can do with it. */
export function StoredAnswer({ message, run, modelNote, onOpenSource, onRetry }: StoredAnswerProps) {
  const { content = "", citations = NONE, status, error } = message;
  return (
    <div className={styles.answer}>
      {content && <AnswerText content={content} citations={citations} onOpen={onOpenSource} />}
      {status === "MESSAGE_STATUS_CANCELLED" && <p className={styles.stopped}>Stopped before it was finished.</p>}
      {status === "MESSAGE_STATUS_FAILED" && (
        <Notice
          tone="danger"
          actions={
            <Button size="sm" onClick={onRetry}>
              <RotateCcw size={14} /> Ask again
            </Button>
          }
        >
          {error || "The answer failed."}
        </Notice>
      )}
      <SourceList citations={citations} onOpen={onOpenSource} />
      {modelNote}
      <AnswerActions message={message} run={run} />
    </div>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { RotateCcw } from "lucide-react";
import { memo } from "react";
import { errorWords, warningWords } from "@/api/error-words";
import { useCitedKnowledge } from "@/data/knowledge";
import type { RunWarning } from "@/features/chat/live/run";
import { Plan } from "@/features/chat/plan/Plan";
import { Decisions } from "@/features/chat/requests/Decisions";
import { ErrorDetail } from "@/features/chat/trace/RunFailure";
import { AnswerText } from "@/features/citations/AnswerText";
import { toolLabel } from "@/features/chat/tools";
import { BasisNote } from "@/features/citations/BasisNote";
import type { ChatMessageJson, CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { DecisionJson, RunJson } from "@/gen/echomind/public/v1/run_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { AnswerActions } from "./AnswerActions";
import { withoutLastLines } from "./closing-lines";
import { ExcludedNote } from "./ExcludeButton";
import { QuotedNote } from "./ModelNote";
import { SourceList } from "./SourceList";
import { SuggestedQuestions } from "@/ui/SuggestedQuestions";
import { UsedMemories } from "./UsedMemories";
import type { MessageActions } from "./use-message-actions";
import styles from "./Answer.module.css";

interface StoredAnswerProps {
  message: ChatMessageJson;
  run: RunJson | undefined;
  /** The run's plan. */
  todos: readonly TodoJson[];
  /** Its warnings, known only where it was followed to its end. */
  warnings?: readonly RunWarning[] | undefined;
  /** The name of the model that answered; empty when it is not known. */
  model: string;
  /** Whether the built-in model answered, which only quotes. */
  isQuoted: boolean;
  /** Whether it is read-only now. */
  isBusy: boolean;
  actions: MessageActions;
  /** Asks a suggested question; undefined in another person's conversation. */
  onAsk?: ((content: string) => void) | undefined;
  onOpenSource: (citation: CitationJson) => void;
}

const NONE: CitationJson[] = [];
const NO_DECISIONS: DecisionJson[] = [];
const NO_MEMORIES: number[] = [];
const NO_NAMES: string[] = [];

/** A stored answer: plan, text, sources, outcome and actions. */
export const StoredAnswer = memo(function StoredAnswer(props: StoredAnswerProps) {
  const { t } = useLingui();
  const { message, run, todos, warnings, model, isQuoted, isBusy, actions, onAsk, onOpenSource } = props;
  const { id = "", content = "", citations = NONE, memoryIds = NO_MEMORIES, suggestedQuestions = NO_NAMES, otherTools = NO_NAMES } = message;
  const { status, error, excluded } = message;
  const knowledge = useCitedKnowledge(message);
  return (
    <div className={styles.answer}>
      {/* What is not done says why. */}
      <Plan todos={todos} isOpen={run?.error?.reason === "GOAL_NOT_REACHED"} />
      <Decisions decisions={run?.decisions ?? NO_DECISIONS} />
      {content && (
        <div className={excluded ? styles.excluded : undefined}>
          <AnswerText
            content={onAsk ? withoutLastLines(content, suggestedQuestions.length) : content}
            citations={citations}
            knowledge={knowledge}
            onOpen={onOpenSource}
          />
        </div>
      )}
      {onAsk && suggestedQuestions.length > 0 && <SuggestedQuestions questions={suggestedQuestions} isDisabled={isBusy} onAsk={onAsk} />}
      {excluded && <ExcludedNote />}
      {warnings?.map((warning, index) => (
        <Notice key={index} tone="warn">
          {warningWords(warning)}
        </Notice>
      ))}
      {status === "MESSAGE_STATUS_CANCELLED" && (
        <p className={styles.stopped}>
          <Trans>Stopped before it was finished.</Trans>
        </p>
      )}
      {status === "MESSAGE_STATUS_FAILED" && (
        <Notice
          tone="danger"
          actions={
            <Button size="sm" disabled={isBusy} onClick={() => actions.regenerate(id, run)}>
              <RotateCcw size={14} /> <Trans>Retry</Trans>
            </Button>
          }
        >
          {error ? errorWords(run?.error?.reason ?? "", error) : t`The answer failed.`}
          <ErrorDetail detail={run?.error?.detail} />
        </Notice>
      )}
      <BasisNote basis={message.basis} tools={otherTools.map(toolLabel)} />
      <SourceList citations={citations} message={message} onOpen={onOpenSource} />
      {isQuoted && citations.length > 0 && <QuotedNote />}
      {memoryIds.length > 0 && <UsedMemories ids={memoryIds} />}
      <AnswerActions message={message} run={run} model={model} isBusy={isBusy} isReadOnly={!onAsk} actions={actions} />
    </div>
  );
});

import { GitBranch, ListTree, RefreshCw, ThumbsDown, ThumbsUp } from "lucide-react";
import { useId, useState } from "react";
import { useSetFeedback } from "@/data/messages";
import { RunSteps } from "@/features/chat/trace/RunSteps";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { Button, IconButton } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { formatDuration } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { ExcludeButton } from "./ExcludeButton";
import { Siblings } from "./Siblings";
import type { MessageActions } from "./use-message-actions";
import styles from "./AnswerActions.module.css";

interface AnswerActionsProps {
  message: ChatMessageJson;
  run: RunJson | undefined;
  /** Whether nothing can be changed now. */
  isBusy: boolean;
  actions: MessageActions;
}

/** Versions, copy, thumbs, another answer, how this one came about, and going on from here elsewhere. */
export function AnswerActions({ message, run, isBusy, actions }: AnswerActionsProps) {
  const { id = "", content = "", runId } = message;
  const [areStepsShown, showSteps] = useState(false);
  const [isCommenting, setCommenting] = useState(false);
  const feedback = useSetFeedback(id);
  const rate = (isPositive: boolean) => feedback.mutate({ isPositive }, { onSuccess: () => setCommenting(!isPositive) });
  const explain = (feedbackText: string) =>
    feedback.mutate({ isPositive: false, feedbackText }, { onSuccess: () => setCommenting(false) });
  const given = feedback.isError ? undefined : feedback.variables?.isPositive;
  return (
    <>
      <div className={styles.row}>
        <Siblings message={message} isDisabled={isBusy} onShow={actions.show} />
        {content && <CopyButton label="Copy answer" text={() => content} />}
        <IconButton label="Helpful" aria-pressed={given === true} onClick={() => rate(true)}>
          <ThumbsUp size={16} />
        </IconButton>
        <IconButton label="Not helpful" aria-pressed={given === false} onClick={() => rate(false)}>
          <ThumbsDown size={16} />
        </IconButton>
        <IconButton label="Regenerate" disabled={isBusy} onClick={() => actions.regenerate(id, run)}>
          <RefreshCw size={16} />
        </IconButton>
        <IconButton label="Fork conversation" disabled={isBusy} onClick={() => actions.fork(id)}>
          <GitBranch size={16} />
        </IconButton>
        <ExcludeButton message={message} isDisabled={isBusy} onExclude={actions.exclude} />
        {runId && (
          <IconButton label="View trace" aria-expanded={areStepsShown} onClick={() => showSteps(!areStepsShown)}>
            <ListTree size={16} />
          </IconButton>
        )}
        <span className={styles.meta}>{run ? runFigures(run) : ""}</span>
      </div>
      {feedback.isError && <Notice tone="danger">{feedback.error.message}</Notice>}
      {isCommenting && (
        <FeedbackComment onSend={explain} onClose={() => setCommenting(false)} />
      )}
      {areStepsShown && runId && <RunSteps runId={runId} />}
    </>
  );
}

function FeedbackComment({ onSend, onClose }: { onSend: (text: string) => void; onClose: () => void }) {
  const [text, setText] = useState("");
  const id = useId();
  return (
    <form
      className={styles.comment}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text);
      }}
    >
      <label htmlFor={id}>What was wrong? (optional)</label>
      <textarea id={id} rows={2} maxLength={10_000} value={text} onChange={(event) => setText(event.target.value)} />
      <div className={styles.row}>
        <Button type="submit" size="sm" variant="primary" disabled={!text.trim()}>
          Send
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Skip
        </Button>
      </div>
    </form>
  );
}

function runFigures({ durationMs, promptTokens, completionTokens, cost }: RunJson): string {
  const tokens = Number(promptTokens ?? 0) + Number(completionTokens ?? 0);
  const figures = [
    Number(durationMs ?? 0) > 0 && formatDuration(Number(durationMs)),
    tokens > 0 && `${tokens.toLocaleString()} tokens`,
    Number(cost ?? 0) > 0 && `$${Number(cost).toLocaleString(undefined, { maximumSignificantDigits: 2 })}`,
  ];
  return figures.filter(Boolean).join(" · ");
}

import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ListTree, Play } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { isUnderWay, runTreeQuery, useControlRun } from "@/data/runs";
import type { AnswerText as WrittenText } from "@/features/chat/live/answer-text";
import { waitingRuns, type Feed } from "@/features/chat/live/feed";
import type { LiveRun } from "@/features/chat/live/run";
import { lazyPart } from "@/ui/lazy-part";
import { useLasting } from "@/ui/use-lasting";
import { Decisions } from "@/features/chat/requests/Decisions";
import { activityOf } from "@/features/chat/trace/activity";
import { RunBudget } from "@/features/chat/trace/RunBudget";
import { RunTrace } from "@/features/chat/trace/RunTrace";
import { AnswerText } from "@/features/citations/AnswerText";
import { uncheckedCitations } from "@/features/citations/citations";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { Button, IconButton } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import styles from "./Answer.module.css";

const InputRequest = lazyPart(async () => (await import("@/features/chat/requests/InputRequest")).InputRequest);
const RunSteps = lazyPart(async () => (await import("@/features/chat/trace/RunSteps")).RunSteps);

/** Interval between refreshes of an autonomous run's usage. */
const FIGURES_MS = 2000;
/** Time before a lost connection is reported. */
const LOST_AFTER_MS = 3_000;
/** Time without new text before a stalled answer is reported. */
const SILENT_AFTER_MS = 8_000;
const STILL = new Set(["RUN_STATUS_PAUSED", "RUN_STATUS_WAITING_FOR_INPUT"]);
const NO_SOURCES: LiveRun["sources"] = [];
const NO_CITATIONS: readonly CitationJson[] = [];

interface LiveAnswerProps {
  /** Its run; undefined until that is known. */
  run: LiveRun | undefined;
  feed: Feed;
  /** The run's plan as it was when the page was loaded. */
  todos: readonly TodoJson[];
  answer: WrittenText;
  /** The citations of its message as stored. */
  stored?: readonly CitationJson[] | undefined;
  isConnected: boolean;
}

/** An answer that is being written: the activity, requests for input, and the text so far. */
export function LiveAnswer({ run, feed, todos, answer, stored = NO_CITATIONS, isConnected }: LiveAnswerProps) {
  const { t } = useLingui();
  const { text, cited } = answer;
  const content = useDeferredValue(text);
  const sources = run?.sources ?? NO_SOURCES;
  // A waiting run's text is stored with its citations, which a reloaded page gets instead of the stream.
  const citations = useMemo(() => (cited.length > 0 ? uncheckedCitations(cited, sources) : stored), [cited, sources, stored]);
  const [areStepsShown, showSteps] = useState(false);
  const control = useControlRun();
  const isStill = run !== undefined && STILL.has(run.status);
  const waiting = run ? waitingRuns(feed, run.runId) : [];
  const isQuiet = isStill || waiting.length > 0;
  const isLost = useLasting(!isConnected, LOST_AFTER_MS);
  const isWriting = text !== "" && !isQuiet && run?.status === "RUN_STATUS_RUNNING" && !run.toolCalls.some(({ status }) => isUnderWay(status));
  const isRecovering = run?.isRecovering === true && answer.attempt < run.attempt;
  const isSilent = useLasting(isWriting && isConnected, SILENT_AFTER_MS, text);
  const isWaitingForText = isSilent && !isRecovering && !isLost;
  const ongoing = isWaitingForText ? t`Waiting for more text…` : activityOf(run, text !== "" && !isRecovering, !isLost);
  const activity = isConnected && waiting.length > 0 ? t`Waiting for you` : ongoing;
  return (
    <div className={styles.answer} aria-busy={!isQuiet}>
      {run && <LiveFigures run={run} isStill={isStill} />}
      {run && <RunTrace run={run} feed={feed} todos={todos} />}
      {content && (
        <div className={isWriting ? styles.writing : undefined}>
          <AnswerText content={content} citations={citations} />
        </div>
      )}
      {waiting.map((one) => (
        <InputRequest key={one.requestId} run={one} />
      ))}
      {/* Not under a text that grows: it would be pushed down line by line. */}
      <div className={styles.activity} hidden={isWriting && !isSilent && !isRecovering && !isLost}>
        <p className={styles.pulse} data-still={isQuiet || undefined}>
          {activity}
        </p>
        {run?.status === "RUN_STATUS_PAUSED" && (
          <Button size="sm" disabled={control.isPending} onClick={() => control.mutate({ id: run.runId, control: "resume" })}>
            <Play size={14} /> <Trans>Resume</Trans>
          </Button>
        )}
        {run && (
          <IconButton label={t`Steps so far`} aria-expanded={areStepsShown} onClick={() => showSteps(!areStepsShown)}>
            <ListTree size={16} />
          </IconButton>
        )}
      </div>
      {control.error && <Notice tone="danger">{control.error.message}</Notice>}
      {areStepsShown && run && <RunSteps runId={run.runId} />}
    </div>
  );
}

/** Decisions so far; for an autonomous run also its goal and usage. */
function LiveFigures({ run: { runId, toolCalls }, isStill }: { run: LiveRun; isStill: boolean }) {
  const isAsked = isStill || toolCalls.some(({ approval }) => approval !== undefined && approval !== "TOOL_APPROVAL_UNSPECIFIED");
  const { data: runs = [] } = useQuery({
    ...runTreeQuery(runId),
    refetchInterval: ({ state }) => (!isStill && (state.data?.[0]?.autoRun || isAsked) ? FIGURES_MS : false),
  });
  return (
    <>
      {runs[0]?.autoRun && <RunBudget runs={runs} />}
      <Decisions decisions={runs.flatMap(({ decisions = [] }) => decisions)} />
    </>
  );
}

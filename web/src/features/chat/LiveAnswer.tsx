import { useDeferredValue, useMemo } from "react";
import { Play } from "lucide-react";
import { AnswerText } from "@/features/citations/AnswerText";
import { uncheckedCitation } from "@/features/citations/citations";
import { Button } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { activityOf, isUnderWay } from "./activity";
import type { LiveRun } from "./live/feed";
import { controlRun } from "./queries";
import { ToolCalls } from "./ToolCalls";
import styles from "./Answer.module.css";

interface LiveAnswerProps {
  run: LiveRun | undefined;
  text: string;
  isConnected: boolean;
}

const NO_SOURCES: LiveRun["sources"] = [];

/** The calls to list: a single one under way is what the line of activity tells of already. */
function listedCalls(run: LiveRun | undefined): LiveRun["toolCalls"] {
  const calls = run?.toolCalls ?? [];
  const ended = calls.filter(({ status }) => !isUnderWay(status));
  return calls.length - ended.length === 1 ? ended : calls;
}

/** An answer that is being written: what is going on, and the text so far. */
export function LiveAnswer({ run, text, isConnected }: LiveAnswerProps) {
  const content = useDeferredValue(text);
  const sources = run?.sources ?? NO_SOURCES;
  const citations = useMemo(() => sources.map(uncheckedCitation), [sources]);
  const isPaused = run?.status === "RUN_STATUS_PAUSED";
  return (
    <div className={styles.answer} aria-busy>
      <ToolCalls calls={listedCalls(run)} />
      {run?.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      {content && <AnswerText content={content} citations={citations} />}
      <div className={styles.activity}>
        <p role="status" className={styles.pulse} data-still={isPaused || undefined}>
          {activityOf(run, text !== "", isConnected)}
        </p>
        {isPaused && (
          <Button size="sm" onClick={() => void controlRun(run.runId, "resume")}>
            <Play size={14} /> Go on
          </Button>
        )}
      </div>
    </div>
  );
}

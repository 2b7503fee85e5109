import { useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { waitingRuns, type Feed } from "@/features/chat/live/feed";
import { activityOf } from "@/features/chat/trace/activity";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";

/** Interval between announcements of a run's activity to screen readers. */
const EVERY_MS = 10_000;

interface LiveStatusProps {
  feed: Feed;
  /** The run that writes; empty when none does. */
  runId: string;
  isConnected: boolean;
  /** The newest answer, when none is being written. */
  last: ChatMessageJson | undefined;
}

/** Announces the progress of an answer to screen readers in one live region, and not word by word. */
export function LiveStatus({ feed, runId, isConnected, last }: LiveStatusProps) {
  const { t } = useLingui();
  const [beat, setBeat] = useState(0);
  const [wasAtWork, setAtWork] = useState(false);
  const isAtWork = runId !== "";
  if (isAtWork && !wasAtWork) setAtWork(true);
  useEffect(() => {
    if (!isAtWork) return undefined;
    const timer = setInterval(() => setBeat((count) => count + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, [isAtWork]);
  const run = feed.runs[runId];
  const isWaiting = run !== undefined && waitingRuns(feed, runId).length > 0;
  let text = "";
  if (isWaiting) text = t`The assistant waits for you.`;
  else if (isAtWork && beat > 0) text = t`Still working: ${activityOf(run, false, isConnected)}`;
  else if (isAtWork) text = t`Answering`;
  else if (wasAtWork && last) text = endOf(last);
  function endOf({ status, citations = [] }: ChatMessageJson): string {
    if (status === "MESSAGE_STATUS_FAILED") return t`The answer failed.`;
    if (status === "MESSAGE_STATUS_CANCELLED") return t`The answer was stopped.`;
    const count = new Set(citations.map(({ number }) => number)).size;
    return count > 0 ? t`Answer complete, sources: ${count}` : t`Answer complete`;
  }
  return (
    <p role="status" className="visually-hidden">
      {text}
    </p>
  );
}

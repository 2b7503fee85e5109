/** Follows a session's events, and reconnects as often as necessary. */
import { ApiError } from "@/api/http";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;

/** Options of following. */
export interface FollowOptions {
  /** Opens the stream, or opens it again after the last event that was seen. */
  open: (signal: AbortSignal) => Promise<AsyncIterable<SessionEventJson>>;
  /** Handles an event; returns whether to continue, to stop, or to reconnect because text is missing. */
  onEvent: (event: SessionEventJson) => "continue" | "reconnect" | "done";
  /** Called when the connection is lost, and when it is back. */
  onConnection: (isConnected: boolean) => void;
  /** Closes it. */
  signal: AbortSignal;
  /** Waits before the next try; left out, it waits by the clock. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Returns when `onEvent` returns `done` or `signal` is aborted; throws an `ApiError` that a retry cannot fix. */
export async function follow({ open, onEvent, onConnection, signal, wait = waitOnline }: FollowOptions): Promise<void> {
  const isAborted = () => signal.aborted;
  for (let failures = 0; !isAborted(); failures += 1) {
    let asked = 0;
    try {
      const events = await open(signal);
      onConnection(true);
      for await (const event of events) {
        const next = onEvent(event);
        if (next === "done") return;
        if (next === "reconnect") break;
        failures = 0;
      }
    } catch (error) {
      if (isAborted()) return;
      if (!(error instanceof ApiError) || !error.isTransient) throw error;
      asked = error.retryAfterMs;
    }
    onConnection(false);
    await wait(Math.max(asked, backoff(failures)), signal);
  }
}

/**
 * Doubles from half a second to 15 s, with up to half subtracted as jitter, so that clients do not reconnect all at
 * once.
 */
function backoff(failures: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (1 - Math.random() / 2);
}

/** Waits, at most until the network is back or it is aborted. */
function waitOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}

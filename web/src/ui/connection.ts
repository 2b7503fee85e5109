/** Whether this page reaches EchoMind: what the browser says of its network, and how the last request ended. */
import { useSyncExternalStore } from "react";
import { addressOf } from "./base-path";

/** `offline`: the browser has no network; `unreachable`: it has one, but EchoMind does not answer. */
export type Connection = "online" | "offline" | "unreachable";

/** How often EchoMind is tried while it does not answer. */
const RETRY_MS = 3000;

const listeners = new Set<() => void>();
let isAnswered = true;
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the state of the connection now. */
export function connection(): Connection {
  if (!navigator.onLine) return "offline";
  return isAnswered ? "online" : "unreachable";
}

/** Notes whether a request got an answer, whatever that says. */
export function noteAnswer(hasAnswered: boolean): void {
  if (hasAnswered === isAnswered) return;
  isAnswered = hasAnswered;
  clearInterval(timer);
  if (!hasAnswered) timer = setInterval(() => void tryAgain(), RETRY_MS);
  for (const listener of listeners) listener();
}

/** Calls a function whenever the connection may have changed; returns how to stop that. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** The state of the connection. */
export function useConnection(): Connection {
  return useSyncExternalStore(onConnectionChange, connection);
}

/** Asks for something small, so that the end of an outage is noticed even if nothing else is asked for. */
async function tryAgain(): Promise<void> {
  try {
    // eslint-disable-next-line no-restricted-globals -- a file, not the API
    await fetch(addressOf("/robots.txt"), { method: "HEAD", cache: "no-store" });
    noteAnswer(true);
  } catch {
    // Still unreachable: the next attempt is due.
  }
}

/** Questions that are not sent yet: kept in this browser, for each person and conversation, in all of its tabs. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { userKeys } from "./users";

const PREFIX = "echomind.draft.";
const WRITE_AFTER_MS = 300;

/** A stored document attached to a question. */
export interface AttachedFile {
  readonly documentId: string;
  readonly title: string;
}

/** A question that is being written. */
export interface Draft {
  readonly text: string;
  readonly files: readonly AttachedFile[];
  /** The assistant of a new conversation; 0 for the preferred one. */
  readonly assistantId: number;
  /** The model; 0 for the assistant's. */
  readonly llmId: number;
  /** Options of its run. */
  readonly options: RunOptionsJson;
  /** The request id with which it is sent when the current answer is complete; empty if it is not queued. */
  readonly queuedAs: string;
}

/** Nothing written, nothing chosen. */
export const EMPTY_DRAFT: Draft = { text: "", files: [], assistantId: 0, llmId: 0, options: {}, queuedAs: "" };

const drafts = new Map<string, Draft>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function keyOf(user: UserJson | null | undefined, session: string): string {
  return `${PREFIX}${user?.id ?? 0}.${session}`;
}

function read(key: string): Draft {
  const known = drafts.get(key);
  if (known) return known;
  let draft = EMPTY_DRAFT;
  try {
    draft = { ...EMPTY_DRAFT, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Draft>) };
  } catch {
    // Invalid or from another version: ignore it, so that the page can open.
  }
  drafts.set(key, draft);
  return draft;
}

function write(key: string, draft: Draft): void {
  drafts.set(key, draft);
  clearTimeout(timers.get(key));
  timers.set(key, setTimeout(() => store(key), WRITE_AFTER_MS));
  for (const listener of listeners) listener();
}

function store(key: string): void {
  clearTimeout(timers.get(key));
  timers.delete(key);
  const draft = drafts.get(key);
  const isEmpty = !draft || JSON.stringify(draft) === JSON.stringify(EMPTY_DRAFT);
  if (isEmpty) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(draft));
}

function subscribe(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === null) drafts.clear();
    else if (key.startsWith(PREFIX) && !timers.has(key)) drafts.delete(key);
    listener();
  };
  const onLeave = () => [...timers.keys()].forEach(store);
  listeners.add(listener);
  window.addEventListener("storage", onStorage);
  window.addEventListener("pagehide", onLeave);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
    window.removeEventListener("pagehide", onLeave);
  };
}

/** The draft of a conversation, and a function that changes it by values or an updater function. */
export function useDraft(session: string): [Draft, (changes: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) => void] {
  const key = keyOf(useQueryClient().getQueryData<UserJson>(userKeys.current), session);
  const draft = useSyncExternalStore(subscribe, () => read(key));
  const change = useCallback(
    (changes: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) => {
      const now = read(key);
      write(key, { ...now, ...(typeof changes === "function" ? changes(now) : changes) });
    },
    [key],
  );
  return [draft, change];
}

/** The draft of a person's conversation as it is now. */
export function draftOf(user: UserJson | null | undefined, session: string): Draft {
  return read(keyOf(user, session));
}

/** Clears a draft that was sent. The chosen model stays chosen, in the conversation that the question began, too. */
export function clearSentDraft(user: UserJson | null | undefined, session: string, storedIn: string): void {
  const { llmId } = read(keyOf(user, session));
  write(keyOf(user, session), EMPTY_DRAFT);
  write(keyOf(user, storedIn), { ...EMPTY_DRAFT, llmId });
}

/** Removes all drafts of this browser, of whomever they are. */
export function removeAllDrafts(): void {
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
  drafts.clear();
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

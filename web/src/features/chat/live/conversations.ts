/** The active conversations, independent of the pages: leaving a page stops nothing. */
import { ApiError } from "@/api/http";
import type { AttachedFile } from "@/data/drafts";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";
import { emptyFeed, hasHole, restingFeed, withEvent, withoutHoles, type Feed } from "./feed";
import { follow, type FollowOptions } from "./follow";
import { idOf } from "./run";

/** The key of the conversation that is created with its first question. */
export const NEW_SESSION = "-";

/** Listeners are notified once a frame: a replay of many events is one change to them. */
const NOTIFY_MS = 16;

/** A question on its way to the server. */
export interface Question {
  readonly content: string;
  /** Repeating the question under the same id does not ask it twice. */
  readonly requestId: string;
  /** For a new session; 0 means the default one. */
  readonly assistantId: number;
  /** Options of its run. */
  readonly options?: RunOptionsJson | undefined;
  /** The attached documents. */
  readonly files?: readonly AttachedFile[];
}

/** The live side of a conversation. */
export interface Conversation {
  readonly feed: Feed;
  /** Sent, but not yet confirmed as stored. */
  readonly question: Question | undefined;
  readonly isFollowing: boolean;
  readonly isConnected: boolean;
  readonly error: ApiError | undefined;
}

/** The dependencies of conversations on the rest of the application. */
export interface Ports {
  /** Asks, and streams the events of the question's run. */
  ask: (session: string, question: Question, signal: AbortSignal) => Promise<AsyncIterable<SessionEventJson>>;
  /** Streams a session's events after one. */
  events: (session: string, after: bigint, signal: AbortSignal) => Promise<AsyncIterable<SessionEventJson>>;
  /** The last event of a session that needs no replay; survives a reload. */
  readCursor: (session: string) => bigint;
  writeCursor: (session: string, id: bigint) => void;
  /** A question of this page was stored, in a session that may be new. */
  onQueued: (session: string, question: Question, event: SessionEventJson, isNewSession: boolean) => void;
  /** The run that was followed has ended and its message is stored. */
  onFinished: (session: string, message: ChatMessageJson, todos: Feed["todos"]) => void;
  /** Queued questions, sent when the current answer ends, whatever its outcome. */
  queued: (session: string) => Question | undefined;
  /** Following has failed permanently. */
  onFailed: (session: string, error: ApiError) => void;
  /** Waits before a connection is tried again; left out, it waits by the clock. */
  wait?: FollowOptions["wait"];
}

const AT_REST: Conversation = {
  feed: emptyFeed(),
  question: undefined,
  isFollowing: false,
  isConnected: true,
  error: undefined,
};

/** All conversations by session id, and `NEW_SESSION` for the one that has none yet. */
export class Conversations {
  private readonly ports: Ports;
  private readonly byKey = new Map<string, Conversation>();
  private readonly aborts = new Map<string, AbortController>();
  private readonly listeners = new Set<() => void>();
  private isNotifying = false;

  constructor(ports: Ports) {
    this.ports = ports;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get(key: string): Conversation {
    return this.byKey.get(key) ?? AT_REST;
  }

  /** Asks a question and follows its run to the end. */
  async ask(key: string, question: Question): Promise<void> {
    await this.follow(key, question, undefined);
  }

  /** Follows the run that writes a message to its end, after a reload for example. */
  async attach(key: string, messageId: string): Promise<void> {
    if (!(messageId in this.get(key).feed.finished)) await this.follow(key, undefined, messageId);
  }

  /** Forgets a conversation, for example a deleted one. */
  forget(key: string): void {
    this.aborts.get(key)?.abort();
    this.byKey.delete(key);
    this.notify();
  }

  /** Dismisses a failure. */
  dismiss(key: string): void {
    this.change(key, { error: undefined, question: undefined });
  }

  private async follow(startKey: string, question: Question | undefined, messageId: string | undefined): Promise<void> {
    let key = startKey;
    let awaited = messageId;
    const before = this.get(key);
    if (before.isFollowing) return;
    const abort = new AbortController();
    this.aborts.set(key, abort);
    const after = key === NEW_SESSION ? 0n : this.ports.readCursor(key);
    this.change(key, { feed: restingFeed(before.feed, after), question, isFollowing: true, isConnected: true, error: undefined });

    const onEvent = (event: SessionEventJson) => {
      if (key === NEW_SESSION && event.chatSessionId) {
        this.rename(key, String(event.chatSessionId));
        key = String(event.chatSessionId);
      }
      this.change(key, { feed: withEvent(this.get(key).feed, event) });
      const written = idOf(event.queued?.assistantMessageId);
      if (written && question && awaited === undefined) {
        awaited = written;
        this.change(key, { question: undefined });
        this.ports.onQueued(key, question, event, startKey === NEW_SESSION);
      }
      const current = this.get(key).feed;
      const finished = awaited === undefined ? undefined : current.finished[awaited];
      if (!finished) return hasHole(current) ? "reconnect" : "continue";
      this.ports.writeCursor(key, current.lastEventId);
      this.ports.onFinished(key, finished, current.todos);
      return "done";
    };
    const open = (signal: AbortSignal) => {
      const { feed, question: unsent } = this.get(key);
      this.change(key, { feed: withoutHoles(feed) });
      return unsent ? this.ports.ask(key, unsent, signal) : this.ports.events(key, feed.lastEventId, signal);
    };
    const onConnection = (isConnected: boolean) => this.change(key, { isConnected });

    let error: ApiError | undefined;
    try {
      await follow({ open, onEvent, onConnection, signal: abort.signal, wait: this.ports.wait });
    } catch (failure) {
      error = failure instanceof ApiError ? failure : new ApiError(0, "UNKNOWN", "", String(failure));
    }
    this.aborts.delete(key);
    if (abort.signal.aborted) return;
    this.change(key, { feed: restingFeed(this.get(key).feed), isFollowing: false, isConnected: true, error });
    if (error) {
      this.ports.onFailed(key, error);
      return;
    }
    const next = this.ports.queued(key);
    if (next) await this.ask(key, next);
  }

  private rename(from: string, to: string): void {
    for (const map of [this.byKey, this.aborts] as Map<string, unknown>[]) {
      map.set(to, map.get(from));
      map.delete(from);
    }
  }

  private change(key: string, changes: Partial<Conversation>): void {
    this.byKey.set(key, { ...this.get(key), ...changes });
    this.notify();
  }

  private notify(): void {
    if (this.isNotifying) return;
    this.isNotifying = true;
    setTimeout(() => {
      this.isNotifying = false;
      for (const listener of this.listeners) listener();
    }, NOTIFY_MS);
  }
}

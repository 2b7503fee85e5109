/** Files on their way to the server. Kept above the pages: leaving a page stops no upload. */
import { ApiError } from "@/api/http";
import { uploadDocument } from "@/api/routes";
import type { Audience } from "@/data/audiences";
import type { DroppedFile } from "./dropped-files";

const AT_ONCE = 3;

/** A file on its way. */
export interface Upload {
  readonly key: number;
  readonly file: File;
  /** The name, or the path from the folder that was dropped. */
  readonly path: string;
  readonly audience: Audience;
  readonly state: "waiting" | "sending" | "stored" | "failed";
  /** Share that was sent, 0 to 1. */
  readonly sent: number;
  readonly error: string;
  /** Uses the stored document; the upload fails if this does. */
  readonly attach: ((documentId: string) => Promise<unknown>) | undefined;
}

/** All uploads of this page, in the order of their start. */
export class Uploads {
  private uploads: readonly Upload[] = [];
  private lastKey = 0;
  private readonly aborts = new Map<number, AbortController>();
  private readonly listeners = new Set<() => void>();
  private readonly onStored: () => void;

  /** @param onStored Called after each file that the server has stored. */
  constructor(onStored: () => void) {
    this.onStored = onStored;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly all = (): readonly Upload[] => this.uploads;

  /** Queues files. */
  add(files: readonly DroppedFile[], audience: Audience, attach?: Upload["attach"]): void {
    const added = files.map(({ file, path }): Upload => {
      this.lastKey += 1;
      return { key: this.lastKey, file, path, audience, state: "waiting", sent: 0, error: "", attach };
    });
    this.set([...this.uploads, ...added]);
    this.startNext();
  }

  /** Sends a failed file again. */
  retry(key: number): void {
    this.change(key, { state: "waiting", sent: 0, error: "" });
    this.startNext();
  }

  /** Removes a file from the list and stops its upload; one that the server has stored stays stored. */
  remove(key: number): void {
    this.aborts.get(key)?.abort();
    this.set(this.uploads.filter((item) => item.key !== key));
  }

  /** Removes the stored files from the list. */
  clearStored(): void {
    this.set(this.uploads.filter((item) => item.state !== "stored"));
  }

  private startNext(): void {
    const sending = this.uploads.filter((item) => item.state === "sending").length;
    for (const item of this.uploads.filter(({ state }) => state === "waiting").slice(0, AT_ONCE - sending)) {
      void this.send(item);
    }
  }

  private async send({ key, file, path, audience: { scope, group }, attach }: Upload): Promise<void> {
    const abort = new AbortController();
    this.aborts.set(key, abort);
    this.change(key, { state: "sending" });
    try {
      const { id = "" } = await uploadDocument({ file, sourceId: path, scope, group }, (sent) => this.change(key, { sent }), abort.signal);
      await attach?.(id);
      this.change(key, { state: "stored", sent: 1 });
      this.onStored();
    } catch (error) {
      const text = error instanceof ApiError ? error.message : `The file could not be sent: ${String(error)}`;
      this.change(key, { state: "failed", error: text });
    } finally {
      this.aborts.delete(key);
      this.startNext();
    }
  }

  private change(key: number, changes: Partial<Upload>): void {
    this.set(this.uploads.map((item) => (item.key === key ? { ...item, ...changes } : item)));
  }

  private set(uploads: readonly Upload[]): void {
    this.uploads = uploads;
    for (const listener of this.listeners) listener();
  }
}

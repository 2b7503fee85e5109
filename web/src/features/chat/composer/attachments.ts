/** Files on their way into a question. Kept above the pages: leaving a conversation stops no upload. */
import { useQueries } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { serverWords } from "@/api/error-words";
import { ApiError } from "@/api/http";
import { newRequestId } from "@/api/request-id";
import { uploadDocument } from "@/api/routes";
import { documentQuery, isProcessing } from "@/data/documents";
import { useDraft, type AttachedFile } from "@/data/drafts";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";

/** Maximum number of files of a question. */
const MAX_FILES = 20;
const POLL_MS = 1000;

/** A file of a question. */
export interface Attachment {
  /** The document's id, or the upload's key before there is one. */
  readonly key: string;
  readonly title: string;
  readonly state: "sending" | "indexing" | "ready" | "failed";
  /** Share that was sent, 0 to 1. */
  readonly sent: number;
  readonly error: string;
}

interface Sending extends Attachment {
  readonly session: string;
  readonly abort: AbortController;
}

let uploads: readonly Sending[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Sending[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Stores a file as a document of the person's own. Each upload is a document: a file of the same name replaces none. */
async function send(session: string, file: File, onStored: (file: AttachedFile) => void): Promise<void> {
  const key = newRequestId();
  const abort = new AbortController();
  const change = (changes: Partial<Sending>) => set(uploads.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  set([...uploads, { key, session, title: file.name, state: "sending", sent: 0, error: "", abort }]);
  try {
    const upload = { file, sourceId: `attachments/${key.slice(0, 8)}/${file.name}`, scope: "SCOPE_USER" as const, group: "" };
    const document = await uploadDocument(upload, (sent) => change({ sent }), abort.signal);
    set(uploads.filter((one) => one.key !== key));
    onStored({ documentId: document.id ?? "", title: document.title || file.name });
  } catch (error) {
    if (!abort.signal.aborted) change({ state: "failed", error: error instanceof ApiError ? error.message : String(error) });
  }
}

/** The files of a conversation's next question, and how to add and remove some. */
export function useAttachments(session: string) {
  const [draft, change] = useDraft(session);
  const sending = useSyncExternalStore(subscribe, () => uploads);
  const documents = useQueries({
    queries: draft.files.map(({ documentId }) => ({
      ...documentQuery(documentId),
      refetchInterval: ({ state }: { state: { data?: DocumentJson | undefined } }) =>
        state.data && isProcessing(state.data) ? POLL_MS : (false as const),
    })),
  });
  const stored = draft.files.map(({ documentId, title }, index): Attachment => {
    const { data, error } = documents[index] ?? {};
    const failure = error?.message ?? (data?.status === "DOCUMENT_STATUS_FAILED" ? serverWords(data.statusMessage) : undefined);
    const state = failure !== undefined ? "failed" : data?.status === "DOCUMENT_STATUS_COMPLETED" ? "ready" : "indexing";
    return { key: documentId, title, state, sent: 1, error: failure ?? "" };
  });
  const attachments: Attachment[] = [...stored, ...sending.filter((one) => one.session === session)];
  const room = MAX_FILES - attachments.length;
  const add = useCallback(
    (files: readonly File[]) => {
      const onStored = (file: AttachedFile) => change(({ files: known }) => ({ files: [...known, file] }));
      for (const file of files.slice(0, room)) void send(session, file, onStored);
    },
    [session, change, room],
  );
  const remove = useCallback(
    (key: string) => {
      uploads.find((one) => one.key === key)?.abort.abort();
      set(uploads.filter((one) => one.key !== key));
      change(({ files }) => ({ files: files.filter(({ documentId }) => documentId !== key) }));
    },
    [change],
  );
  return { attachments, add, remove };
}

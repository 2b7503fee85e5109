/** Memories of the reader across conversations, and their mutations. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import {
  createMemory,
  deleteAllMemories,
  deleteMemory,
  getMemory,
  listMemories,
  searchMemories,
  updateMemory,
} from "@/gen/echomind/public/v1/memory_service_client";
import type { MemoryJson } from "@/gen/echomind/public/v1/memory_pb";
import { changesOf } from "./changes";

/** Timeout of an export. */
const EXPORT_MS = 60_000;

/** Query keys of memories. */
export const memoryKeys = { all: ["memories"] as const };

/** The reader's memories, newest first, a page at a time. */
export const memoriesQuery = (withHistory: boolean) =>
  infiniteQueryOptions({
    queryKey: [...memoryKeys.all, "list", withHistory],
    queryFn: ({ pageParam, signal }) => listMemories({ withHistory, pageToken: pageParam }, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextPageToken || undefined,
  });

/** The reader's memories about a text, best first. */
export const memorySearchQuery = (query: string) =>
  queryOptions({
    queryKey: [...memoryKeys.all, "search", query],
    queryFn: ({ signal }) => searchMemories({ query, limit: 48 }, { signal }),
    enabled: query !== "",
  });

/** One memory; none when it was deleted, or is not the reader's. */
export const memoryQuery = (id: number) =>
  queryOptions({
    queryKey: [...memoryKeys.all, "one", id],
    queryFn: ({ signal }) => getMemory({ id }, { signal }),
    retry: false,
  });

/** Reads all memories with their history, to be saved as a file. */
export function readAllMemories(): Promise<MemoryJson[]> {
  return readAll(listMemories, "memories", { withHistory: true }, AbortSignal.timeout(EXPORT_MS));
}

/** Reads the memories from conversations. */
export async function readMemoriesOf(sessions: readonly string[]): Promise<MemoryJson[]> {
  const signal = AbortSignal.timeout(EXPORT_MS);
  const found = sessions.map((id) => readAll(listMemories, "memories", { chatSessionId: Number(id) }, signal));
  return (await Promise.all(found)).flat();
}

/** A change of the memories, which are read again. */
const useMemoryChange = changesOf(memoryKeys.all);

/** Stores a memory by hand. */
export function useCreateMemory() {
  return useMemoryChange((memory: MemoryJson) => createMemory({ memory }));
}

/** Changes the text of a memory. */
export function useUpdateMemory() {
  return useMemoryChange(({ id, content }: { id: number; content: string }) => updateMemory({ id, memory: { content } }));
}

/** Deletes a memory permanently. */
export function useDeleteMemory() {
  return useMemoryChange((id: number) => deleteMemory({ id }));
}

/** Deletes some memories permanently. */
export function useDeleteMemories() {
  return useMemoryChange((ids: readonly number[]) => Promise.all(ids.map((id) => deleteMemory({ id }))));
}

/** Deletes all memories of the reader permanently. */
export function useDeleteAllMemories() {
  return useMemoryChange(() => deleteAllMemories({}));
}

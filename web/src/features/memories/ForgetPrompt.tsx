/** After conversations were deleted, asks whether to delete the memories from them too. */
import { useSyncExternalStore } from "react";
import type { MemoryJson } from "@/gen/echomind/public/v1/memory_pb";
import { lazyPart } from "@/ui/lazy-part";

const ForgetDialog = lazyPart(async () => (await import("./ForgetDialog")).ForgetDialog, { whenFailed: "dialog" });

let asked: readonly MemoryJson[] = [];
const listeners = new Set<() => void>();

/** Asks whether to delete these memories, if there are any. */
export function askToForget(memories: readonly MemoryJson[]): void {
  asked = memories;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The question, above all pages: the list in which a conversation was deleted may not be there any more. */
export function ForgetPrompt() {
  const memories = useSyncExternalStore(subscribe, () => asked);
  if (memories.length === 0) return null;
  return <ForgetDialog memories={memories} onClose={() => askToForget([])} />;
}

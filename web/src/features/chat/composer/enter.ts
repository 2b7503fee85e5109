import type { KeyboardEvent } from "react";

/** Whether a key sends what was written: Enter, and not the Enter that ends the composition of a word. */
export function isSending(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
}

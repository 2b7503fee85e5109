import type { KeyboardEvent } from "react";
import type { SendKeyJson } from "@/gen/echomind/public/v1/preferences_pb";

/**
 * Whether a key sends what was written: Enter, or Ctrl+Enter where its reader prefers that; and not the Enter that ends
 * the composition of a word.
 */
export function isSending(event: KeyboardEvent, sendKey?: SendKeyJson): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return false;
  return sendKey !== "SEND_KEY_CTRL_ENTER" || event.ctrlKey || event.metaKey;
}

import type { KeyboardEvent } from "react";
import type { SendKeyJson } from "@/gen/echomind/public/v1/preferences_pb";

/**
 * Whether a key sends the text: Enter, or Ctrl+Enter if the user prefers that, but not the Enter that ends an IME
 * composition.
 */
export function isSending(event: KeyboardEvent, sendKey?: SendKeyJson): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return false;
  return sendKey !== "SEND_KEY_CTRL_ENTER" || event.ctrlKey || event.metaKey;
}

import { Eye, EyeOff } from "lucide-react";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { IconButton } from "@/ui/Button";
import styles from "./DiscardButton.module.css";

interface DiscardButtonProps {
  message: ChatMessageJson;
  isDisabled: boolean;
  onDiscard: (messageId: string, discarded: boolean) => void;
}

/** Leaves a message out of later prompts, or puts it back. */
export function DiscardButton({ message, isDisabled, onDiscard }: DiscardButtonProps) {
  const { id = "", discarded = false } = message;
  const what = message.role === "MESSAGE_ROLE_USER" ? "question" : "answer";
  const Icon = discarded ? Eye : EyeOff;
  return (
    <IconButton
      label={discarded ? `Put ${what} back into later prompts` : `Leave ${what} out of later prompts`}
      disabled={isDisabled}
      onClick={() => onDiscard(id, !discarded)}
    >
      <Icon size={16} />
    </IconButton>
  );
}

/** Says of a message that it was left out. */
export function DiscardedNote() {
  return (
    <p className={styles.note}>
      <EyeOff size={13} aria-hidden /> Left out of later prompts.
    </p>
  );
}

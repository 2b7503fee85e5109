import { Eye, EyeOff } from "lucide-react";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { IconButton } from "@/ui/Button";
import styles from "./DiscardButton.module.css";

interface DiscardButtonProps {
  message: ChatMessageJson;
  isDisabled: boolean;
  onDiscard: (messageId: string, discarded: boolean) => void;
}

/** Excludes a message from later prompts, or includes it again. */
export function DiscardButton({ message, isDisabled, onDiscard }: DiscardButtonProps) {
  const { id = "", discarded = false } = message;
  const what = message.role === "MESSAGE_ROLE_USER" ? "question" : "answer";
  const Icon = discarded ? Eye : EyeOff;
  return (
    <IconButton
      label={discarded ? `Include ${what} in context` : `Exclude ${what} from context`}
      disabled={isDisabled}
      onClick={() => onDiscard(id, !discarded)}
    >
      <Icon size={16} />
    </IconButton>
  );
}

/** The note under a message that is excluded from later prompts. */
export function DiscardedNote() {
  return (
    <p className={styles.note}>
      <EyeOff size={13} aria-hidden /> Excluded from context.
    </p>
  );
}

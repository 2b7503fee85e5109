import { Trans, useLingui } from "@lingui/react/macro";
import { Eye, EyeOff } from "lucide-react";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { IconButton } from "@/ui/Button";
import styles from "./ExcludeButton.module.css";

interface ExcludeButtonProps {
  message: ChatMessageJson;
  isDisabled: boolean;
  onExclude: (messageId: string, isExcluded: boolean) => void;
}

/** Excludes a question from later prompts, or includes it again. */
export function ExcludeButton({ message, isDisabled, onExclude }: ExcludeButtonProps) {
  const { t } = useLingui();
  const { id = "", excluded = false } = message;
  const Icon = excluded ? Eye : EyeOff;
  return (
    <IconButton
      label={excluded ? t`Include question in context` : t`Exclude question from context`}
      disabled={isDisabled}
      onClick={() => onExclude(id, !excluded)}
    >
      <Icon size={16} />
    </IconButton>
  );
}

/** The note under a message that is excluded from later prompts. */
export function ExcludedNote() {
  return (
    <p className={styles.note}>
      <EyeOff size={13} aria-hidden /> <Trans>Excluded from context.</Trans>
    </p>
  );
}

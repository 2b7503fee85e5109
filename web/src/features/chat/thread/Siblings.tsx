import { useLingui } from "@lingui/react/macro";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { IconButton } from "@/ui/Button";
import styles from "./Siblings.module.css";

interface SiblingsProps {
  message: ChatMessageJson;
  isDisabled: boolean;
  onShow: (messageId: string) => void;
}

/** Switches between the versions of a message: `‹ 2/3 ›`. Renders nothing if there is only one. */
export function Siblings({ message, isDisabled, onShow }: SiblingsProps) {
  const { t } = useLingui();
  const { id = "", siblingIds = [] } = message;
  const place = siblingIds.indexOf(id);
  if (siblingIds.length < 2 || place < 0) return null;
  const step = (by: number) => {
    const sibling = siblingIds[place + by];
    return { disabled: isDisabled || sibling === undefined, onClick: () => sibling && onShow(sibling) };
  };
  return (
    <span className={styles.siblings} role="group" aria-label={t`Version ${place + 1} of ${siblingIds.length}`}>
      <IconButton label={t`Previous version`} className={styles.step} {...step(-1)}>
        <ChevronLeft size={16} />
      </IconButton>
      <span aria-hidden>
        {place + 1}/{siblingIds.length}
      </span>
      <IconButton label={t`Next version`} className={styles.step} {...step(1)}>
        <ChevronRight size={16} />
      </IconButton>
    </span>
  );
}

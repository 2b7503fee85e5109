import { Plural, useLingui } from "@lingui/react/macro";
import { CircleAlert, FileText, X } from "lucide-react";
import { IconButton } from "@/ui/Button";
import { formatPercent } from "@/ui/format";
import type { Attachment } from "./attachments";
import styles from "./AttachmentChips.module.css";

interface AttachmentChipsProps {
  attachments: readonly Attachment[];
  onRemove: (key: string) => void;
  /** Whether the question is sent as soon as they are indexed. */
  isWaiting: boolean;
}

/** The files of the next question, each with how far it is. */
export function AttachmentChips({ attachments, onRemove, isWaiting }: AttachmentChipsProps) {
  const { t } = useLingui();
  if (attachments.length === 0) return null;
  const open = attachments.filter(({ state }) => state === "sending" || state === "indexing").length;
  return (
    <>
      <ul className={styles.list} aria-label={t`Attached files`}>
        {attachments.map((attachment) => (
          <li key={attachment.key} className={styles.chip} data-state={attachment.state}>
            {attachment.state === "failed" ? <CircleAlert size={15} aria-hidden /> : <FileText size={15} aria-hidden />}
            <span className={styles.title} title={attachment.title}>
              {attachment.title}
            </span>
            <AttachmentState attachment={attachment} />
            <IconButton label={t`Remove ${attachment.title}`} className={styles.remove} onClick={() => onRemove(attachment.key)}>
              <X size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
      <p role="status" className={isWaiting ? styles.note : "visually-hidden"}>
        {isWaiting && open > 0 && <Plural value={open} one="Sends when # file is indexed." other="Sends when # files are indexed." />}
      </p>
    </>
  );
}

function AttachmentState({ attachment: { state, sent, error, title } }: { attachment: Attachment }) {
  const { t } = useLingui();
  if (state === "ready") return null;
  if (state === "failed") return <span className={styles.error}>{error || t`It could not be indexed.`}</span>;
  return (
    <span className={styles.state}>
      {state === "sending" && sent < 1 ? formatPercent(sent) : t`Indexing…`}
      <progress className={styles.bar} aria-label={t`Progress of ${title}`} {...(state === "sending" ? { value: sent, max: 1 } : {})} />
    </span>
  );
}

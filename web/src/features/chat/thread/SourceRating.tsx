import { useLingui } from "@lingui/react/macro";
import { MessageSquare, ThumbsDown, ThumbsUp } from "lucide-react";
import { useRateCitation } from "@/data/messages";
import type { ChatMessageJson, CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import { IconButton } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { FeedbackComment, SOURCE_REASONS } from "./FeedbackComment";
import { useRating } from "./use-rating";
import styles from "./SourceList.module.css";

interface SourceRatingProps {
  message: ChatMessageJson;
  citation: CitationJson;
}

/** The reader's rating of a source: it ranks higher or lower for similar questions. */
export function SourceRating({ message, citation }: SourceRatingProps) {
  const { t } = useLingui();
  const { number = 0, chunkId = "" } = citation;
  const rating = useRateCitation(message, chunkId);
  const { isHelpful, text, rate, explain, isCommenting, setCommenting } = useRating(rating, citation.feedback);
  return (
    <div className={styles.rating} role="group" aria-label={t`Rating of source ${number}`}>
      <div className={styles.votes}>
        <IconButton label={t`Source ${number} is helpful`} aria-pressed={isHelpful === true} onClick={() => rate(true)}>
          <ThumbsUp size={14} fill={isHelpful === true ? "currentColor" : "none"} />
        </IconButton>
        <IconButton label={t`Source ${number} is not helpful`} aria-pressed={isHelpful === false} onClick={() => rate(false)}>
          <ThumbsDown size={14} fill={isHelpful === false ? "currentColor" : "none"} />
        </IconButton>
        {isHelpful !== undefined && (
          <IconButton
            label={text ? t`Edit your comment on source ${number}` : t`Comment on source ${number}`}
            aria-expanded={isCommenting}
            onClick={() => setCommenting(!isCommenting)}
          >
            <MessageSquare size={14} fill={text ? "currentColor" : "none"} />
          </IconButton>
        )}
        {text && !isCommenting && <span className={styles.comment}>{text}</span>}
      </div>
      {rating.isError && <Notice tone="danger">{rating.error.message}</Notice>}
      {isCommenting && isHelpful !== undefined && (
        <FeedbackComment isHelpful={isHelpful} reasons={SOURCE_REASONS} given={text} onSend={explain} onClose={() => setCommenting(false)} />
      )}
    </div>
  );
}

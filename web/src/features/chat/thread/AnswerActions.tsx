import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Activity, BookmarkPlus, Ellipsis, Eye, EyeOff, FileSearch, GitBranch, ListTree, NotebookPen, RefreshCw, ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useRateMessage } from "@/data/messages";
import { useKeepAnswer } from "@/data/notebooks";
import { sessionQuery } from "@/data/sessions";
import { RunFigures } from "@/features/chat/RunFigures";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { RunJson } from "@/gen/echomind/public/v1/run_pb";
import { IconButton } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyButton";
import { lazyPart } from "@/ui/lazy-part";
import { Menu, MenuItem } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import { ANSWER_REASONS, FeedbackComment, FeedbackNote } from "./FeedbackComment";
import { Siblings } from "./Siblings";
import type { MessageActions } from "./use-message-actions";
import { useRating } from "./use-rating";
import styles from "./AnswerActions.module.css";

const EntityDialog = lazyPart(async () => (await import("@/features/knowledge/EntityDialog")).EntityDialog, { whenFailed: "dialog" });
const MessageDetails = lazyPart(async () => (await import("./MessageDetails")).MessageDetails);
const RunSteps = lazyPart(async () => (await import("@/features/chat/trace/RunSteps")).RunSteps);
const MAX_CONTENT = 4000;

interface AnswerActionsProps {
  message: ChatMessageJson;
  run: RunJson | undefined;
  /** The name of the model that answered; empty when it is not known. */
  model: string;
  /** Whether it is read-only now. */
  isBusy: boolean;
  /** Whether the conversation is another person's, which can be rated and forked but not changed. */
  isReadOnly: boolean;
  actions: MessageActions;
}

/** Actions of an answer, and its usage. */
export function AnswerActions({ message, run, model, isBusy, isReadOnly, actions }: AnswerActionsProps) {
  const { t } = useLingui();
  const { id = "", content = "", runId, status, excluded = false } = message;
  const [, navigate] = useLocation();
  const [areStepsShown, showSteps] = useState(false);
  const [areDetailsShown, showDetails] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const { data: session } = useQuery(sessionQuery(String(message.chatSessionId ?? "")));
  const notebookId = session?.notebookId ?? "";
  const keeping = useKeepAnswer(notebookId);
  const rating = useRateMessage(message);
  const { isHelpful, text, rate, explain, isCommenting, setCommenting } = useRating(rating, message.feedback);
  const keep = () =>
    keeping.mutate(id, {
      onError: showFailure,
      onSuccess: () => showToast({ message: t`Saved as a note of the notebook.`, action: { label: t`Open`, run: () => navigate(`/notebooks/${notebookId}`) } }),
    });
  return (
    <>
      <div className={styles.row}>
        <Siblings message={message} isDisabled={isBusy} onShow={actions.show} />
        {content && <CopyButton label={t`Copy answer`} text={() => content} />}
        <IconButton label={t`Helpful`} aria-pressed={isHelpful === true} onClick={() => rate(true)}>
          <ThumbsUp size={16} fill={isHelpful === true ? "currentColor" : "none"} />
        </IconButton>
        <IconButton label={t`Not helpful`} aria-pressed={isHelpful === false} onClick={() => rate(false)}>
          <ThumbsDown size={16} fill={isHelpful === false ? "currentColor" : "none"} />
        </IconButton>
        {!isReadOnly && (
          <IconButton label={t`Regenerate`} disabled={isBusy} onClick={() => actions.regenerate(id, run)}>
            <RefreshCw size={16} />
          </IconButton>
        )}
        <Menu
          align="start"
          trigger={
            <IconButton label={t`More`}>
              <Ellipsis size={16} />
            </IconButton>
          }
        >
          {runId && (
            <MenuItem icon={<ListTree size={16} />} onSelect={() => showSteps(!areStepsShown)}>
              {areStepsShown ? t`Hide trace` : t`View trace`}
            </MenuItem>
          )}
          {runId && (
            <MenuItem icon={<FileSearch size={16} />} onSelect={() => showDetails(!areDetailsShown)}>
              {areDetailsShown ? t`Hide details` : t`View details`}
            </MenuItem>
          )}
          {runId && (
            <MenuItem icon={<Activity size={16} />} onSelect={() => navigate(`/runs/${runId}`)}>
              {t`Open run`}
            </MenuItem>
          )}
          {status === "MESSAGE_STATUS_COMPLETED" && content && (
            <MenuItem icon={<BookmarkPlus size={16} />} onSelect={() => setSaving(true)}>
              {t`Save as knowledge`}
            </MenuItem>
          )}
          {status === "MESSAGE_STATUS_COMPLETED" && content && notebookId && (
            <MenuItem icon={<NotebookPen size={16} />} onSelect={keep}>
              {t`Save as a note of the notebook`}
            </MenuItem>
          )}
          <MenuItem icon={<GitBranch size={16} />} isDisabled={isBusy} onSelect={() => actions.fork(id)}>
            {t`Fork conversation`}
          </MenuItem>
          {!isReadOnly && (
            <MenuItem icon={excluded ? <Eye size={16} /> : <EyeOff size={16} />} isDisabled={isBusy} onSelect={() => actions.exclude(id, !excluded)}>
              {excluded ? t`Include in context` : t`Exclude from context`}
            </MenuItem>
          )}
        </Menu>
        <RunFigures run={run} model={model} />
      </div>
      {rating.isError && <Notice tone="danger">{rating.error.message}</Notice>}
      {isCommenting && isHelpful !== undefined && (
        <FeedbackComment
          isHelpful={isHelpful}
          reasons={ANSWER_REASONS}
          given={text}
          onSend={explain}
          onClose={() => setCommenting(false)}
        />
      )}
      {isHelpful !== undefined && !isCommenting && (
        <FeedbackNote text={text} onEdit={() => setCommenting(true)} />
      )}
      {isSaving && (
        <EntityDialog
          entity={{ content: withoutMarkers(content).slice(0, MAX_CONTENT) }}
          messageId={id}
          onClose={() => setSaving(false)}
          onAdded={(added) =>
            showToast({
              message: t`Saved as knowledge that only you see.`,
              action: { label: t`Open`, run: () => navigate(`/knowledge/${added.id ?? ""}`) },
            })
          }
        />
      )}
      {areDetailsShown && <MessageDetails id={id} fallback={<Spinner label={t`Loading details`} />} />}
      {areStepsShown && runId && <RunSteps runId={runId} fallback={<Spinner label={t`Loading details`} />} />}
    </>
  );
}

/** An answer without the names of its sources, which mean nothing elsewhere. */
function withoutMarkers(content: string): string {
  return content.replace(/ *\[K?\d{1,15}(?:\s*,\s*K?\d{1,15})*\]/g, "");
}

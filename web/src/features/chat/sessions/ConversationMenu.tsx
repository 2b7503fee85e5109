import { Trans, useLingui } from "@lingui/react/macro";
import { BookmarkPlus, Brain, ClipboardCheck, GitBranch, History, ListTodo, Shrink, SlidersHorizontal, Target } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useForkSession, useSummarizeSession, useUpdateSession } from "@/data/sessions";
import { useCurrentUser } from "@/data/users";
import { NewTodoDialog } from "@/features/chat/plan/TodoDialog";
import { KeepItems } from "@/features/conversations/KeepItems";
import { UsualDialog, UsualItems } from "@/features/conversations/UsualItems";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { lazyPart } from "@/ui/lazy-part";
import { MenuItem, MenuSeparator } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import styles from "./ConversationMenu.module.css";

const CheckpointsDialog = lazyPart(async () => (await import("@/features/chat/checkpoints/CheckpointsDialog")).CheckpointsDialog, { whenFailed: "dialog" });
const NewCheckpointDialog = lazyPart(async () => (await import("@/features/chat/checkpoints/NewCheckpointDialog")).NewCheckpointDialog, { whenFailed: "dialog" });
const SessionOptionsDialog = lazyPart(async () => (await import("@/features/chat/composer/SessionOptionsDialog")).SessionOptionsDialog, { whenFailed: "dialog" });
const GoalDialog = lazyPart(async () => (await import("@/features/chat/composer/GoalDialog")).GoalDialog, { whenFailed: "dialog" });
const AddRatedDialog = lazyPart(async () => (await import("@/features/evaluation/AddRatedDialog")).AddRatedDialog, { whenFailed: "dialog" });

/** Actions of a conversation. */
export function ConversationMenu({ session }: { session: ChatSessionJson }) {
  const { t } = useLingui();
  const id = String(session.id ?? 0);
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<"goal" | "options" | "todo" | "checkpoint" | "checkpoints" | "rename" | "share" | "rated">();
  const isOwn = session.userId === useCurrentUser().id;
  const close = () => setDialog(undefined);
  const summarize = useSummarizeSession(id);
  const fork = useForkSession(id);
  const update = useUpdateSession(id);
  const failure = summarize.error ?? fork.error ?? update.error;
  return (
    <>
      <ActionsMenu label={t`Actions for this conversation`} size={18}>
        {isOwn && <UsualItems session={session} onOpen={setDialog} />}
        {isOwn && <MenuSeparator />}
        <MenuItem icon={<GitBranch size={15} />} onSelect={() => fork.mutate("0", { onSuccess: (forked) => navigate(`/chat/${forked.id ?? ""}`) })}>
          <Trans>Fork conversation</Trans>
        </MenuItem>
        {isOwn && (
          <>
            <MenuItem icon={<Target size={15} />} onSelect={() => setDialog("goal")}>
              {session.goal ? t`Change the goal` : t`Set a goal`}
            </MenuItem>
            <MenuItem icon={<SlidersHorizontal size={15} />} onSelect={() => setDialog("options")}>
              <Trans>Run options</Trans>
            </MenuItem>
            <MenuItem icon={<ListTodo size={15} />} onSelect={() => setDialog("todo")}>
              <Trans>Add todo</Trans>
            </MenuItem>
            <MenuItem icon={<Shrink size={15} />} isDisabled={session.isSummarizing ?? false} onSelect={() => summarize.mutate()}>
              {session.isSummarizing ? t`Summarizing…` : t`Summarize earlier messages`}
            </MenuItem>
            {!session.notebookId && (
              <MenuItem icon={<Brain size={15} />} onSelect={() => update.mutate({ withoutMemory: !session.withoutMemory })}>
                {session.withoutMemory ? t`Use memory in this conversation` : t`Keep memory out of this conversation`}
              </MenuItem>
            )}
            <MenuItem icon={<BookmarkPlus size={15} />} onSelect={() => setDialog("checkpoint")}>
              <Trans>Save a checkpoint</Trans>
            </MenuItem>
            <MenuItem icon={<History size={15} />} onSelect={() => setDialog("checkpoints")}>
              <Trans>Checkpoints</Trans>
            </MenuItem>
            <MenuItem icon={<ClipboardCheck size={15} />} onSelect={() => setDialog("rated")}>
              <Trans>Add rated answers to a dataset</Trans>
            </MenuItem>
            <MenuSeparator />
            <KeepItems session={session} />
          </>
        )}
      </ActionsMenu>
      {failure && (
        <div className={styles.failure}>
          <Notice tone="danger">{failure.message}</Notice>
        </div>
      )}
      <UsualDialog session={session} dialog={dialog} onClose={close} />
      {dialog === "rated" && <AddRatedDialog session={session.id ?? 0} onClose={close} />}
      {dialog === "goal" && <GoalDialog session={session} onClose={close} />}
      {dialog === "options" && <SessionOptionsDialog session={session} onClose={close} />}
      {dialog === "todo" && <NewTodoDialog session={id} onClose={close} />}
      {dialog === "checkpoint" && <NewCheckpointDialog session={id} onClose={close} />}
      {dialog === "checkpoints" && <CheckpointsDialog session={id} onClose={close} />}
    </>
  );
}

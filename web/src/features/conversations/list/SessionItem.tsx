import { Trans, useLingui } from "@lingui/react/macro";
import { Archive, Flame, GitBranch } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { classes } from "@/ui/classes";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Highlighted } from "@/ui/Highlighted";
import { MenuItem, MenuSeparator } from "@/ui/Menu";
import { KeepItems } from "../KeepItems";
import { RunStatus } from "../RunStatus";
import { UsualDialog, UsualItems } from "../UsualItems";
import { useListActions } from "./use-session-actions";
import styles from "./SessionItem.module.css";

interface SessionItemProps {
  session: ChatSessionJson;
  isCurrent: boolean;
  /** The query, with a matching part of a message. */
  found?: { query: string; excerpt: string };
  onOpen: () => void;
}

/** A conversation in the list with its actions. */
export function SessionItem({ session, isCurrent, found, onOpen }: SessionItemProps) {
  const { t } = useLingui();
  const title = session.title || t`Untitled`;
  const isSettled = !session.runStatus || session.runStatus === "RUN_STATUS_COMPLETED" || session.runStatus === "RUN_STATUS_CANCELLED";
  return (
    <li className={classes(styles.item, isCurrent && styles.current)}>
      <Link href={`/chat/${session.id}`} className={styles.link} aria-current={isCurrent ? "page" : undefined} onClick={onOpen} title={title}>
        <span className={styles.title}>
          {!isSettled && <RunStatus status={session.runStatus} />}
          <span className={styles.text}>{found ? <Highlighted text={title} query={found.query} /> : title}</span>
          {session.parentSessionId && <GitBranch size={13} aria-label={t`Fork`} className={styles.mark} />}
          {session.archived && <Archive size={13} aria-label={t`Archived`} className={styles.mark} />}
        </span>
        {found?.excerpt && (
          <span className={styles.excerpt}>
            <Highlighted text={found.excerpt} query={found.query} />
          </span>
        )}
      </Link>
      <SessionMenu session={session} />
    </li>
  );
}

/** Actions of a conversation in a list. */
export function SessionMenu({ session }: { session: ChatSessionJson }) {
  const { t } = useLingui();
  const title = session.title || t`Untitled`;
  const [dialog, setDialog] = useState<"rename" | "share" | "purge">();
  const actions = useListActions();
  return (
    <>
      <ActionsMenu label={t`Actions for ${title}`} className={styles.actions}>
        <UsualItems session={session} onOpen={setDialog} />
        <MenuSeparator />
        <KeepItems session={session} />
        <MenuItem icon={<Flame size={15} />} isDangerous onSelect={() => setDialog("purge")}>
          <Trans>Delete permanently</Trans>
        </MenuItem>
      </ActionsMenu>
      <UsualDialog session={session} dialog={dialog} onClose={() => setDialog(undefined)} />
      {dialog === "purge" && (
        <ConfirmDialog
          title={t`Delete this conversation permanently?`}
          text={t`All messages, quotes, runs and steps of “${title}” are deleted. Forks of it stay.`}
          action={t`Delete permanently`}
          onConfirm={() => actions.purge([session])}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

import { Ellipsis, Flame, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useRemoveSession } from "@/data/sessions";
import { useConversations } from "@/features/chat/ConversationsProvider";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Menu, MenuItem } from "@/ui/Menu";
import { RenameDialog } from "./RenameDialog";
import styles from "./SessionItem.module.css";

interface SessionItemProps {
  session: ChatSessionJson;
  isCurrent: boolean;
  onOpen: () => void;
}

/** A conversation in the list, with what one can do with it. */
export function SessionItem({ session, isCurrent, onOpen }: SessionItemProps) {
  const id = String(session.id ?? 0);
  const title = session.title || "Untitled";
  const conversations = useConversations();
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<"rename" | "delete" | "purge">();
  const removal = useRemoveSession(() => {
    conversations.forget(id);
    if (isCurrent) navigate("/");
  });
  return (
    <li className={classes(styles.item, isCurrent && styles.current)}>
      <Link href={`/chat/${id}`} className={styles.link} aria-current={isCurrent ? "page" : undefined} onClick={onOpen} title={title}>
        {title}
      </Link>
      <Menu
        trigger={
          <IconButton label={`Actions for ${title}`} className={styles.actions}>
            <Ellipsis size={16} />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("rename")}>
          Rename
        </MenuItem>
        <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("delete")}>
          Delete
        </MenuItem>
        <MenuItem icon={<Flame size={15} />} isDangerous onSelect={() => setDialog("purge")}>
          Delete permanently
        </MenuItem>
      </Menu>
      {dialog === "rename" && <RenameDialog session={session} onClose={() => setDialog(undefined)} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title="Delete this conversation?"
          text={`“${title}” and its answers can no longer be opened. A running answer is stopped.`}
          action="Delete"
          onConfirm={() => removal.mutateAsync({ id, isPermanent: false })}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "purge" && (
        <ConfirmDialog
          title="Delete this conversation permanently?"
          text={`All messages, quotes, runs and steps of “${title}” are deleted. Forks of it stay.`}
          action="Delete permanently"
          onConfirm={() => removal.mutateAsync({ id, isPermanent: true })}
          onClose={() => setDialog(undefined)}
        />
      )}
    </li>
  );
}

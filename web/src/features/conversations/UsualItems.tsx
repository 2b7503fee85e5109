import { Trans } from "@lingui/react/macro";
import { FileDown, Pencil, Share2, Trash2 } from "lucide-react";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { lazyPart } from "@/ui/lazy-part";
import { MenuItem } from "@/ui/Menu";
import { useListActions } from "./list/use-session-actions";

const RenameDialog = lazyPart(async () => (await import("./list/RenameDialog")).RenameDialog, { whenFailed: "dialog" });
const ShareDialog = lazyPart(async () => (await import("@/features/shares/ShareDialog")).ShareDialog, { whenFailed: "dialog" });

/** What every menu of a conversation begins with: rename, share, export and delete. */
export function UsualItems({ session, onOpen }: { session: ChatSessionJson; onOpen: (dialog: "rename" | "share") => void }) {
  const actions = useListActions();
  return (
    <>
      <MenuItem icon={<Pencil size={15} />} onSelect={() => onOpen("rename")}>
        <Trans>Rename</Trans>
      </MenuItem>
      <MenuItem icon={<Share2 size={15} />} onSelect={() => onOpen("share")}>
        <Trans>Share</Trans>
      </MenuItem>
      <MenuItem icon={<FileDown size={15} />} onSelect={() => void actions.download(session, "EXPORT_FORMAT_MARKDOWN")}>
        <Trans>Export</Trans>
      </MenuItem>
      <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => void actions.remove([session])}>
        <Trans>Delete</Trans>
      </MenuItem>
    </>
  );
}

/** The dialog that one of the usual items has opened. */
export function UsualDialog({ session, dialog, onClose }: { session: ChatSessionJson; dialog: string | undefined; onClose: () => void }) {
  return (
    <>
      {dialog === "rename" && <RenameDialog session={session} onClose={onClose} />}
      {dialog === "share" && <ShareDialog session={String(session.id ?? 0)} onClose={onClose} />}
    </>
  );
}

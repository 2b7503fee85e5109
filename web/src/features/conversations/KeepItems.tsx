import { Trans } from "@lingui/react/macro";
import { Archive, ArchiveRestore, Braces, Pin, PinOff } from "lucide-react";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { MenuItem } from "@/ui/Menu";
import { useListActions } from "./list/use-session-actions";

/** Menu items that pin, archive and export a conversation. */
export function KeepItems({ session }: { session: ChatSessionJson }) {
  const actions = useListActions();
  return (
    <>
      <MenuItem icon={session.pinned ? <PinOff size={15} /> : <Pin size={15} />} onSelect={() => void actions.pin(session)}>
        {session.pinned ? <Trans>Unpin</Trans> : <Trans>Pin</Trans>}
      </MenuItem>
      <MenuItem
        icon={session.archived ? <ArchiveRestore size={15} /> : <Archive size={15} />}
        onSelect={() => void actions.archive([session], !session.archived)}
      >
        {session.archived ? <Trans>Move back to the list</Trans> : <Trans>Archive</Trans>}
      </MenuItem>
      <MenuItem icon={<Braces size={15} />} onSelect={() => void actions.download(session, "EXPORT_FORMAT_JSON")}>
        <Trans>Export as JSON</Trans>
      </MenuItem>
    </>
  );
}

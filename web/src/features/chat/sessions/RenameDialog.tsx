import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { renameSession, sessionQuery, sessionsQuery } from "@/features/chat/queries";

/** Gives a conversation another title. */
export function RenameDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const { id = 0 } = session;
  const client = useQueryClient();
  const [title, setTitle] = useState(session.title ?? "");
  const rename = async () => {
    client.setQueryData(sessionQuery(String(id)).queryKey, await renameSession(id, title.trim()));
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  return (
    <FormDialog title="Rename the conversation" action="Rename" isReady={title.trim() !== ""} onSubmit={rename} onClose={onClose}>
      <TextField label="Title" required maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
    </FormDialog>
  );
}

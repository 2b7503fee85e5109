import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { renameSession, sessionQuery, sessionsQuery } from "./queries";

/** Gives a conversation another title. */
export function RenameDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const { id = 0 } = session;
  const client = useQueryClient();
  const [title, setTitle] = useState(session.title ?? "");
  const rename = useMutation({
    mutationFn: () => renameSession(id, title.trim()),
    onSuccess: async (renamed) => {
      client.setQueryData(sessionQuery(String(id)).queryKey, renamed);
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <Dialog title="Rename the conversation" onClose={onClose}>
      <form onSubmit={submit}>
        <TextField label="Title" required maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
        {rename.error && <Notice tone="danger">{rename.error.message}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={rename.isPending || !title.trim()}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

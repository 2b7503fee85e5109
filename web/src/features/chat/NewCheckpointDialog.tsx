import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { Notice } from "@/ui/Notice";
import { checkpointsQuery, createCheckpoint } from "./checkpoints";

/** Keeps a conversation as it is now, under a name. */
export function NewCheckpointDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => createCheckpoint(session, name.trim()),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: checkpointsQuery(session).queryKey });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog title="Save a checkpoint" onClose={onClose}>
      <form onSubmit={submit}>
        <TextField
          label="Name"
          hint="Empty means that it gets one. You can go back to it later: messages, plan and summary are then as they are now."
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {create.error && <Notice tone="danger">{create.error.message}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={create.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

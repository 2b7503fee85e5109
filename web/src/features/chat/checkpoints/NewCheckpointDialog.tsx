import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { checkpointsQuery, createCheckpoint } from "./checkpoints";

/** Keeps a conversation as it is now, under a name. */
export function NewCheckpointDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const create = async () => {
    await createCheckpoint(session, name.trim());
    await client.invalidateQueries({ queryKey: checkpointsQuery(session).queryKey });
  };
  return (
    <FormDialog title="Save a checkpoint" action="Save" onSubmit={create} onClose={onClose}>
      <TextField
        label="Name"
        hint="Empty means that it gets one. You can go back to it later: messages, plan and summary are then as they are now."
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

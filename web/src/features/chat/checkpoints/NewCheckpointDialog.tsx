import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useCreateCheckpoint } from "@/data/checkpoints";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Creates a named checkpoint of a conversation. */
export function NewCheckpointDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const { t } = useLingui();
  const creation = useCreateCheckpoint(session);
  const [name, setName] = useState("");
  return (
    <FormDialog title={t`Save a checkpoint`} action={t`Save`} onSubmit={() => creation.mutateAsync(name.trim())} onClose={onClose}>
      <TextField
        label={t`Name`}
        hint={t`Leave blank for an automatic name. Restoring it brings back messages, plan and summary as they are now.`}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

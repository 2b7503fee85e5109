import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useRenameDocument } from "@/data/documents";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Asks for a document's new name. */
export function RenameDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { t } = useLingui();
  const [title, setTitle] = useState(name);
  const rename = useRenameDocument(id);
  return (
    <FormDialog
      title={t`Rename document`}
      action={t`Rename`}
      isReady={title.trim() !== ""}
      onSubmit={() => rename.mutateAsync(title.trim())}
      onClose={onClose}
    >
      <TextField label={t`Name`} maxLength={300} value={title} onChange={(event) => setTitle(event.target.value)} />
    </FormDialog>
  );
}

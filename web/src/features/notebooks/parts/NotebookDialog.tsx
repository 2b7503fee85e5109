import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSaveNotebook } from "@/data/notebooks";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

interface NotebookDialogProps {
  notebook?: NotebookJson;
  onSaved?: (notebook: NotebookJson) => void;
  onClose: () => void;
}

/** Creates a notebook, or edits its title, description and instructions. */
export function NotebookDialog({ notebook, onSaved, onClose }: NotebookDialogProps) {
  const { t } = useLingui();
  const [title, setTitle] = useState(notebook?.title ?? "");
  const [description, setDescription] = useState(notebook?.description ?? "");
  const [instructions, setInstructions] = useState(notebook?.instructions ?? "");
  const save = useSaveNotebook();
  const submit = async () => {
    const values = { title: title.trim(), description: description.trim(), instructions: instructions.trim() };
    onSaved?.(await save.mutateAsync(notebook?.id ? { id: notebook.id, ...values } : values));
  };
  return (
    <FormDialog
      title={notebook ? t`Edit ${notebook.title ?? ""}` : t`New notebook`}
      action={notebook ? t`Save` : t`Create`}
      isReady={title.trim() !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t`Title`} required maxLength={255} value={title} onChange={(event) => setTitle(event.target.value)} />
      <TextField label={t`Description (optional)`} maxLength={2000} value={description} onChange={(event) => setDescription(event.target.value)} />
      <TextArea
        label={t`Instructions (optional)`}
        hint={t`How questions are answered in this notebook, such as: “Answer in two sentences, for engineers.”`}
        maxLength={8000}
        rows={5}
        value={instructions}
        onChange={(event) => setInstructions(event.target.value)}
      />
    </FormDialog>
  );
}

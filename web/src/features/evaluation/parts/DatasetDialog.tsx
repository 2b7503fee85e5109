import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useSaveDataset } from "@/data/evaluation";
import { useCurrentUser } from "@/data/users";
import type { EvaluationDatasetJson } from "@/gen/echomind/public/v1/evaluation_pb";
import { CheckField, TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

interface DatasetDialogProps {
  /** The dataset to change; without one, a new one is created. */
  dataset?: EvaluationDatasetJson;
  onSaved?: (dataset: EvaluationDatasetJson) => void;
  onClose: () => void;
}

/** Creates a dataset, or changes its name, description and whom it is shared with. */
export function DatasetDialog({ dataset, onSaved, onClose }: DatasetDialogProps) {
  const { t } = useLingui();
  const [name, setName] = useState(dataset?.name ?? "");
  const [description, setDescription] = useState(dataset?.description ?? "");
  const [isShared, setShared] = useState(dataset?.isShared ?? false);
  const [groups, setGroups] = useState(dataset?.groups ?? []);
  const { groups: own = [] } = useCurrentUser();
  const save = useSaveDataset();
  const submit = async () => {
    const values = { name: name.trim(), description: description.trim(), isShared, groups: isShared ? groups : [] };
    onSaved?.(await save.mutateAsync(dataset?.id ? { id: dataset.id, ...values } : values));
  };
  return (
    <FormDialog
      title={dataset ? t`Edit ${dataset.name ?? ""}` : t`New dataset`}
      action={dataset ? t`Save` : t`Create`}
      isReady={name.trim() !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t`Name`} required maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      <TextArea label={t`Description (optional)`} maxLength={2000} rows={2} value={description} onChange={(event) => setDescription(event.target.value)} />
      <CheckField
        label={t`Let others evaluate with it`}
        hint={t`They read its questions, right answers and names of documents, and never your evaluations.`}
        checked={isShared}
        onChange={setShared}
      />
      {isShared &&
        [...new Set([...own, ...groups])].map((group) => (
          <CheckField
            key={group}
            label={t`Only the group ${group}`}
            checked={groups.includes(group)}
            onChange={(isChecked) => setGroups(isChecked ? [...groups, group] : groups.filter((one) => one !== group))}
          />
        ))}
    </FormDialog>
  );
}

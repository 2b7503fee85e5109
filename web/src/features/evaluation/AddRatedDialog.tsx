import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { datasetsQuery, useAddRatedAnswers, useSaveDataset } from "@/data/evaluation";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { showToast } from "@/ui/toasts";

const NEW = "new";

/** Adds the questions of a conversation whose answers the user has rated to a dataset, which may be a new one. */
export function AddRatedDialog({ session, onClose }: { session: number; onClose: () => void }) {
  const { t } = useLingui();
  const { data: datasets, isPending } = useQuery(datasetsQuery);
  const own = (datasets ?? []).filter(({ isEditable }) => isEditable);
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState("");
  const add = useAddRatedAnswers(session);
  const save = useSaveDataset();
  const dataset = chosen ?? own[0]?.id ?? NEW;
  const submit = async () => {
    const id = dataset === NEW ? ((await save.mutateAsync({ name: name.trim() })).id ?? "0") : dataset;
    setChosen(id);
    const added = await add.mutateAsync(id);
    showToast({ message: added > 0 ? plural(added, { one: "Added # question.", other: "Added # questions." }) : t`The dataset has them already.` });
  };
  return (
    <FormDialog title={t`Add rated answers to a dataset`} action={t`Add`} isReady={!isPending && (dataset !== NEW || name.trim() !== "")} onSubmit={submit} onClose={onClose}>
      <SelectField
        label={t`Dataset`}
        value={dataset}
        options={[...own.map((one) => ({ value: one.id ?? "", label: one.name ?? "" })), { value: NEW, label: t`New dataset` }]}
        hint={t`A helpful answer is expected again, with its documents. An unhelpful one adds its question alone: write down what is right.`}
        onChange={setChosen}
      />
      {dataset === NEW && <TextField label={t`Name`} required maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />}
    </FormDialog>
  );
}

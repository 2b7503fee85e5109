import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useAudiences } from "@/data/audiences";
import type { CollectionValues } from "@/data/collections";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

interface CollectionDialogProps {
  /** The one to change; left out for a new one. */
  connector?: ConnectorJson;
  onSave: (values: CollectionValues) => Promise<unknown>;
  onClose: () => void;
}

/** The name and visibility of a collection. */
export function CollectionDialog({ connector, onSave, onClose }: CollectionDialogProps) {
  const { t } = useLingui();
  const audiences = useAudiences();
  const [name, setName] = useState(connector?.name ?? "");
  const [chosen, setChosen] = useState(() => {
    const current = audiences.find(({ scope, group }) => scope === connector?.scope && group === (connector.scopeId ?? ""));
    return (current ?? audiences[0]).value;
  });
  const audience = audiences.find(({ value }) => value === chosen) ?? audiences[0];
  return (
    <FormDialog
      title={connector ? t`Change the collection` : t`New collection`}
      action={connector ? t`Save` : t`Create`}
      isReady={name.trim() !== ""}
      onSubmit={() => onSave({ name: name.trim(), audience })}
      onClose={onClose}
    >
      <TextField label={t`Name`} required maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      <SelectField
        label={t`Visible to`}
        value={chosen}
        options={audiences}
        hint={t`Applies to all its documents immediately.`}
        onChange={setChosen}
      />
    </FormDialog>
  );
}

import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useAudiences } from "@/data/audiences";
import type { CollectionValues } from "@/data/collections";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

interface CollectionDialogProps {
  title: string;
  action: string;
  /** The collection as it is; left out for a new one. */
  connector?: ConnectorJson;
  onSubmit: (values: CollectionValues) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for the name and visibility of a collection. */
export function CollectionDialog({ title, action, connector, onSubmit, onClose }: CollectionDialogProps) {
  const { t } = useLingui();
  const audiences = useAudiences();
  const current = audiences.find(({ scope, group }) => scope === (connector?.scope ?? "SCOPE_USER") && group === (connector?.scopeId ?? ""));
  const [name, setName] = useState(connector?.name ?? "");
  const [chosen, setChosen] = useState(current?.value ?? "user");
  const audience = audiences.find(({ value }) => value === chosen) ?? audiences[0];
  return (
    <FormDialog title={title} action={action} isReady={name.trim() !== ""} onSubmit={() => onSubmit({ name: name.trim(), audience })} onClose={onClose}>
      <TextField label={t`Name`} maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      <SelectField
        label={t`Visible to`}
        value={audience.value}
        options={audiences.map(({ value, label }) => ({ value, label }))}
        hint={t`Changes apply to all documents of the collection immediately.`}
        onChange={setChosen}
      />
    </FormDialog>
  );
}

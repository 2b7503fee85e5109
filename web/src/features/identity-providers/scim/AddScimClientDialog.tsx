import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { scimUrl } from "@/api/routes";
import { identityProvidersQuery } from "@/data/identity-providers";
import { useCreateScimClient } from "@/data/scim-clients";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Adds a SCIM client. */
export function AddScimClientDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [name, setName] = useState("");
  const [provider, setProvider] = useState("");
  const { data: providers = [] } = useQuery(identityProvidersQuery);
  const creation = useCreateScimClient();
  const options = providers.map((each) => ({ value: each.name ?? "", label: each.title || (each.name ?? "") }));
  return (
    <FormDialog title={t`Add a SCIM client`} action={t`Add`} onSubmit={() => creation.mutateAsync({ name, provider })} onClose={onClose}>
      <TextField
        label={t`Name`}
        required
        maxLength={40}
        pattern="[a-z][a-z0-9_-]*"
        hint={t`Small letters, digits, _ and -. It cannot be changed later.`}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label={t`The same people sign in at`}
        value={provider}
        options={[{ value: "", label: t`No provider` }, ...options]}
        onChange={setProvider}
      />
      <TextField label={t`Address, for the identity system`} readOnly value={scimUrl()} />
    </FormDialog>
  );
}

import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { scimUrl } from "@/api/routes";
import { useCreateScimToken } from "@/data/scim-clients";
import { SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { SecretDialog } from "@/ui/SecretDialog";

const DAY_MS = 86_400_000;

/** Expiry of a token in days. */
const LIFETIMES = [
  { value: "90", label: msg`90 days` },
  { value: "365", label: msg`1 year` },
  { value: "729", label: msg`2 years` },
];

/** Makes a token of a SCIM client, and shows its secret once. */
export function ScimTokenDialog({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const { t } = useLingui();
  const [days, setDays] = useState("365");
  const creation = useCreateScimToken();
  if (creation.data) {
    return (
      <SecretDialog title={t`Token of ${name} created`} label={t`Token`} secret={creation.data.secret} hint={t`Copy it now. It will not be shown again.`} onClose={onClose}>
        <TextField label={t`Address, for the identity system`} readOnly value={scimUrl()} />
      </SecretDialog>
    );
  }
  const create = () => creation.mutateAsync({ id, expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() });
  return (
    <FormDialog title={t`Create a token for ${name}`} action={t`Create`} staysOpen onSubmit={create} onClose={onClose}>
      <p>
        <Trans>It opens the SCIM address and nothing else. A client has at most two tokens, so that one can be replaced without a gap.</Trans>
      </p>
      <SelectField label={t`Expires after`} value={days} options={LIFETIMES.map(({ value, label }) => ({ value, label: t(label) }))} onChange={setDays} />
    </FormDialog>
  );
}

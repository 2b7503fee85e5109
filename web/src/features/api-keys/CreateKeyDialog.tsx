import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { assistantsQuery } from "@/data/assistants";
import { connectorsQuery } from "@/data/connectors";
import type { ApiKeyScopeJson } from "@/gen/echomind/public/v1/api_key_pb";
import type { CreateApiKeyRequestJson, CreateApiKeyResponseJson } from "@/gen/echomind/public/v1/api_key_service_pb";
import { CheckField, SelectField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { KeySecretDialog } from "./keys/KeySecretDialog";
import { LimitField } from "./keys/LimitField";
import styles from "./CreateKeyDialog.module.css";
import { ADMINISTER, SCOPES } from "./keys/scopes";

const DAY_MS = 86_400_000;

/** Expiry of a key in days; 0 means never. */
const LIFETIMES = [
  { value: "30", label: msg`30 days` },
  { value: "90", label: msg`90 days` },
  { value: "365", label: msg`1 year` },
  { value: "0", label: msg`No expiry` },
];

interface CreateKeyDialogProps {
  /** Whether it is the key of a service account, which administers nothing. */
  isOfService?: boolean;
  onCreate: (key: CreateApiKeyRequestJson) => Promise<CreateApiKeyResponseJson>;
  onClose: () => void;
}

/** Creates an API key, and shows its secret once. */
export function CreateKeyDialog({ isOfService = false, onCreate, onClose }: CreateKeyDialogProps) {
  const { t } = useLingui();
  const offered = SCOPES.filter(({ value }) => value !== ADMINISTER || !isOfService);
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scopes, setScopes] = useState<readonly ApiKeyScopeJson[]>(["API_KEY_SCOPE_READ", "API_KEY_SCOPE_ASK"]);
  const [assistantIds, setAssistantIds] = useState<readonly number[]>([]);
  const [connectorIds, setConnectorIds] = useState<readonly number[]>([]);
  const assistants = useQuery(assistantsQuery).data ?? [];
  const connectors = useQuery(connectorsQuery).data ?? [];
  const creation = useMutation({ mutationFn: onCreate });
  const hasLimits = !scopes.includes(ADMINISTER);
  const create = () =>
    creation.mutateAsync({
      name: name.trim(),
      ...(days !== "0" && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      scopes: [...scopes],
      ...(hasLimits && { assistantIds: [...assistantIds], connectorIds: [...connectorIds] }),
    });
  if (creation.data) {
    return <KeySecretDialog title={t`API key created`} secret={creation.data.secret} onClose={onClose} />;
  }
  return (
    <FormDialog title={t`Create API key`} action={t`Create`} isReady={name.trim() !== "" && scopes.length > 0} staysOpen onSubmit={create} onClose={onClose}>
      <TextField
        label={t`Name`}
        hint={t`What it is used for, such as “Nightly import”.`}
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label={t`Expires after`} value={days} options={LIFETIMES.map(({ value, label }) => ({ value, label: t(label) }))} onChange={setDays} />
      <fieldset className={styles.scopes}>
        <legend>
          <Trans>The key may</Trans>
        </legend>
        {offered.map(({ value, label, hint }) => (
          <CheckField
            key={value}
            label={t(label)}
            hint={t(hint)}
            checked={scopes.includes(value) || scopes.includes(ADMINISTER)}
            disabled={value !== ADMINISTER && scopes.includes(ADMINISTER)}
            onChange={(isChecked) => setScopes(isChecked ? [...scopes, value] : scopes.filter((scope) => scope !== value))}
          />
        ))}
      </fieldset>
      {hasLimits && (
        <>
          <LimitField
            title={t`Only these assistants`}
            hint={
              isOfService
                ? t`The key asks no others, and has only conversations that begin with it. Without a choice, it may use all that the account may use.`
                : t`The key asks no others, and has only conversations that begin with it. Without a choice, it may use all of yours.`
            }
            items={assistants}
            chosen={assistantIds}
            onChange={setAssistantIds}
          />
          <LimitField
            title={t`Only these connectors`}
            hint={
              isOfService
                ? t`The key searches, reads and uploads to no others. Without a choice, it may use all that the account may use.`
                : t`The key searches, reads and uploads to no others. Without a choice, it may use all of yours.`
            }
            items={connectors}
            chosen={connectorIds}
            onChange={setConnectorIds}
          />
        </>
      )}
    </FormDialog>
  );
}

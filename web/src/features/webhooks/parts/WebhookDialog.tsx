import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { ApiError } from "@/api/http";
import { useCreateWebhook, useUpdateWebhook } from "@/data/webhooks";
import type { WebhookEventTypeJson, WebhookJson } from "@/gen/echomind/public/v1/webhook_pb";
import { CheckField, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { AUDIT, EVENTS } from "./events";
import { WebhookSecretDialog } from "./WebhookSecretDialog";
import styles from "./WebhookDialog.module.css";

const USUAL: readonly WebhookEventTypeJson[] = [
  "WEBHOOK_EVENT_TYPE_RUN_COMPLETED",
  "WEBHOOK_EVENT_TYPE_RUN_FAILED",
  "WEBHOOK_EVENT_TYPE_RUN_WAITING_FOR_INPUT",
];

interface WebhookDialogProps {
  /** The webhook to change; without it, a new one is added. */
  webhook?: WebhookJson;
  isInstallation: boolean;
  onClose: () => void;
}

/** Adds a webhook and shows its secret once, or changes one. */
export function WebhookDialog({ webhook, isInstallation, onClose }: WebhookDialogProps) {
  const { t } = useLingui();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [types, setTypes] = useState<readonly WebhookEventTypeJson[]>(webhook?.eventTypes ?? USUAL);
  const creation = useCreateWebhook();
  const update = useUpdateWebhook();
  const failure = creation.error ?? update.error;
  const fault = failure instanceof ApiError ? failure.metadata["url"] : undefined;
  const faulty = t`Address`;
  const submit = async () => {
    const given = { url: url.trim(), description: description.trim(), eventTypes: [...types] };
    try {
      await (webhook ? update.mutateAsync({ id: webhook.id ?? 0, ...given }) : creation.mutateAsync({ ...given, isInstallation }));
    } catch (error) {
      throw error instanceof ApiError && error.metadata["url"] ? new Error(t`Check what you entered for: ${faulty}`) : error;
    }
  };
  if (creation.data) return <WebhookSecretDialog title={t`Webhook created`} secret={creation.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      title={webhook ? t`Change webhook` : t`New webhook`}
      action={webhook ? t`Save` : t`Create`}
      isReady={url.trim() !== "" && types.length > 0}
      staysOpen={!webhook}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={faulty}
        type="url"
        required
        maxLength={2048}
        placeholder="https://"
        fault={serverWords(fault)}
        hint={t`On the public internet, unless your administrator has allowed its host.`}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField label={t`Description (optional)`} maxLength={255} value={description} onChange={(event) => setDescription(event.target.value)} />
      <fieldset className={styles.events}>
        <legend>
          <Trans>Events</Trans>
        </legend>
        {[...EVENTS, ...(isInstallation ? [AUDIT] : [])].map(({ value, label }) => (
          <CheckField
            key={value}
            label={t(label)}
            checked={types.includes(value)}
            onChange={(isChecked) => setTypes(isChecked ? [...types, value] : types.filter((type) => type !== value))}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}

import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useRotateWebhookSecret } from "@/data/webhooks";
import { SelectField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { WebhookSecretDialog } from "./WebhookSecretDialog";

/** For how many seconds the earlier secret also signs. */
const OVERLAPS = [
  { value: "0", label: msg`Not at all` },
  { value: "3600", label: msg`1 hour` },
  { value: "86400", label: msg`1 day` },
  { value: "604800", label: msg`7 days` },
];

/** Gives a webhook another secret, and shows it once. */
export function RotateSecretDialog({ webhookId, onClose }: { webhookId: number; onClose: () => void }) {
  const { t } = useLingui();
  const [overlap, setOverlap] = useState("86400");
  const rotation = useRotateWebhookSecret();
  if (rotation.data) return <WebhookSecretDialog title={t`Secret rotated`} secret={rotation.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      title={t`Rotate the secret`}
      action={t`Rotate`}
      staysOpen
      onSubmit={() => rotation.mutateAsync({ id: webhookId, overlapSeconds: Number(overlap) })}
      onClose={onClose}
    >
      <p>
        <Trans>Requests are signed with another secret from now on.</Trans>
      </p>
      <SelectField
        label={t`The earlier secret also signs for`}
        value={overlap}
        options={OVERLAPS.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={setOverlap}
      />
    </FormDialog>
  );
}

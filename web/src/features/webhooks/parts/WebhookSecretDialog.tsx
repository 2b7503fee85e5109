import { useLingui } from "@lingui/react/macro";
import { SecretDialog } from "@/ui/SecretDialog";

/** Shows the secret of a webhook, once. */
export function WebhookSecretDialog(props: { title: string; secret: string | undefined; onClose: () => void }) {
  const { t } = useLingui();
  return <SecretDialog label={t`Secret`} hint={t`The receiver verifies requests with it. Copy it now. It will not be shown again.`} {...props} />;
}

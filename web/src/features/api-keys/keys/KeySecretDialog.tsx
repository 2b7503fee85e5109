import { useLingui } from "@lingui/react/macro";
import { SecretDialog } from "@/ui/SecretDialog";

/** Shows the secret of an API key, once. */
export function KeySecretDialog(props: { title: string; secret: string | undefined; onClose: () => void }) {
  const { t } = useLingui();
  return <SecretDialog label={t`API key`} hint={t`Copy it now. It will not be shown again.`} {...props} />;
}

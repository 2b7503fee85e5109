import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { SecretField } from "@/ui/SecretField";

/** Shows the secret of an API key, once. */
export function KeySecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog title={title} onClose={onClose}>
      <SecretField label={t`API key`} value={secret} hint={t`Copy it now. It will not be shown again.`} />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}

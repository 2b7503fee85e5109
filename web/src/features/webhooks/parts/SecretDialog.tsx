import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { SecretField } from "@/ui/SecretField";

/** Shows the secret of a webhook, once. */
export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog title={title} onClose={onClose}>
      <SecretField label={t`Secret`} value={secret} hint={t`The receiver verifies requests with it. Copy it now. It will not be shown again.`} />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}

import { Trans } from "@lingui/react/macro";
import { addressOf } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { SecretField } from "@/ui/SecretField";

interface LinkDialogProps {
  title: string;
  label: string;
  /** Path after the server's address. */
  path: string | undefined;
  hint: string;
  onClose: () => void;
}

/** Shows a link that works once, to be sent to its person. */
export function LinkDialog({ title, label, path = "", hint, onClose }: LinkDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <SecretField label={label} value={`${location.origin}${addressOf(path)}`} hint={hint} />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}

import type { SignInLinkJson } from "@/gen/echomind/public/v1/auth_pb";
import { fullAddressOf } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { formatMoment } from "@/ui/format";
import { SecretField } from "@/ui/SecretField";

interface SignInLinkDialogProps {
  /** Its owner. */
  name: string;
  link: SignInLinkJson;
  onClose: () => void;
}

/** Shows a sign-in link, to be sent to its person. */
export function SignInLinkDialog({ name, link, onClose }: SignInLinkDialogProps) {
  return (
    <Dialog title={`Sign-in link for ${name}`} onClose={onClose}>
      <SecretField
        label="Link"
        value={fullAddressOf(link.path ?? "")}
        hint={`Send it to ${name} only. It signs in once, until ${formatMoment(link.expiresAt)}.`}
      />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

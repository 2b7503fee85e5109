import { Trans } from "@lingui/react/macro";
import { fullAddressOf, isLoopback } from "@/ui/base-path";
import { Notice } from "@/ui/Notice";
import { SecretDialog } from "@/ui/SecretDialog";

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
    <SecretDialog title={title} label={label} secret={fullAddressOf(path)} hint={hint} onClose={onClose}>
      {isLoopback(location.hostname) && (
        <Notice tone="warn">
          <Trans>
            Only this machine can open this link, because you use EchoMind at {location.origin}. Open EchoMind at the address that others
            use, and make the link there.
          </Trans>
        </Notice>
      )}
    </SecretDialog>
  );
}

import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { SecretField } from "./SecretField";
import styles from "./Dialog.module.css";

interface SecretDialogProps {
  title: string;
  label: string;
  secret: string | undefined;
  hint: string;
  onClose: () => void;
  /** What stands before the secret. */
  children?: ReactNode;
}

/** Shows something once, to be copied. */
export function SecretDialog({ title, label, secret = "", hint, onClose, children }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={styles.form}>
        {children}
        <SecretField label={label} value={secret} hint={hint} />
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}

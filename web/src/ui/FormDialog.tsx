import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode, SyntheticEvent } from "react";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { Notice } from "./Notice";
import { Spinner } from "./Spinner";
import styles from "./Dialog.module.css";

interface FormDialogProps {
  title: string;
  /** The word on the button that does it. */
  action: string;
  /**
   * Submits the form; then the dialog closes unless `staysOpen`. If it throws, the error is shown and the dialog stays
   * open.
   */
  onSubmit: () => unknown;
  onClose: () => void;
  /** Whether the form is valid. */
  isReady?: boolean;
  isDangerous?: boolean;
  /** Whether a result is displayed next, instead of closing. */
  staysOpen?: boolean;
  children: ReactNode;
}

/** A dialog with a form and one action. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, onSubmit, onClose, isReady = true, isDangerous = false, staysOpen = false, children } = props;
  const submission = useMutation({ mutationFn: async () => await onSubmit(), onSuccess: () => !staysOpen && onClose() });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isReady && !submission.isPending) submission.mutate();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        {children}
        {submission.error && <Notice tone="danger">{submission.error.message}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" variant={isDangerous ? "danger" : "primary"} disabled={!isReady || submission.isPending}>
            {submission.isPending && <Spinner />}
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

import { useState } from "react";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { Notice } from "./Notice";
import { Spinner } from "./Spinner";

interface ConfirmDialogProps {
  title: string;
  /** What will happen. */
  text: string;
  /** The word on the button that does it. */
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, text, action, onConfirm, onClose }: ConfirmDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {failure && <Notice tone="danger">{failure}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" disabled={isBusy} onClick={() => void confirm()}>
          {isBusy && <Spinner />}
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

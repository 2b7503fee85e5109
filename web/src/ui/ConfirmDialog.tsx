import { FormDialog } from "./FormDialog";

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
  return (
    <FormDialog title={title} action={action} isDangerous onSubmit={onConfirm} onClose={onClose}>
      <p>{text}</p>
    </FormDialog>
  );
}

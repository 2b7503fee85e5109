import { useLingui } from "@lingui/react/macro";
import { useState, type ReactNode } from "react";
import { TextField } from "./Field";
import { FormDialog } from "./FormDialog";

interface ConfirmDialogProps {
  title: string;
  /** The effect. */
  text: string;
  /** The word on the button that does it. */
  action: string;
  /** The name to type for confirmation, for people and collections. */
  name?: string;
  /** More about the effect. */
  children?: ReactNode;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Confirms an action that cannot be undone. Others are executed immediately, with a toast to undo them. */
export function ConfirmDialog({ title, text, action, name, children, onConfirm, onClose }: ConfirmDialogProps) {
  const { t } = useLingui();
  const [typed, setTyped] = useState("");
  const isReady = name === undefined || typed.trim() === name.trim();
  return (
    <FormDialog title={title} action={action} isDangerous isReady={isReady} onSubmit={onConfirm} onClose={onClose}>
      <p>{text}</p>
      {children}
      {name !== undefined && (
        <TextField label={t`Type “${name}” to confirm`} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
      )}
    </FormDialog>
  );
}

import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { TextArea, TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";
import { addressesIn } from "./pasted";

interface PasteDialogProps {
  onPaste: (text: string, name: string) => Promise<void>;
  onClose: () => void;
}

/** Takes addresses of pages, or a text, which becomes a document. */
export function PasteDialog({ onPaste, onClose }: PasteDialogProps) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const isText = text.trim() !== "" && addressesIn(text).length === 0;
  return (
    <FormDialog title={t`Add an address or text`} action={t`Add`} isReady={text.trim() !== ""} onSubmit={() => onPaste(text, name)} onClose={onClose}>
      <TextArea
        label={t`Addresses or text`}
        hint={t`Addresses of web pages, one per line; or any text, which becomes a document.`}
        rows={8}
        maxLength={1_000_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {isText && <TextField label={t`Title of the document (optional)`} maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />}
    </FormDialog>
  );
}

import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useUpdateSession } from "@/data/sessions";
import type { ChatSessionJson } from "@/gen/echomind/public/v1/chat_session_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Renames a conversation. */
export function RenameDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const { t } = useLingui();
  const update = useUpdateSession(String(session.id ?? 0));
  const [title, setTitle] = useState(session.title ?? "");
  const rename = () => update.mutateAsync({ title: title.trim() });
  return (
    <FormDialog title={t`Rename conversation`} action={t`Rename`} isReady={title.trim() !== ""} onSubmit={rename} onClose={onClose}>
      <TextField label={t`Title`} required maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
    </FormDialog>
  );
}

import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useCreateMemory, useUpdateMemory } from "@/data/memories";
import type { MemoryJson } from "@/gen/echomind/public/v1/memory_pb";
import { TextField } from "@/ui/Field";
import { FormDialog } from "@/ui/FormDialog";

/** Adds a memory, or changes the text of one that has an id. */
export function MemoryDialog({ memory, onClose }: { memory: MemoryJson; onClose: () => void }) {
  const { t } = useLingui();
  const [content, setContent] = useState(memory.content ?? "");
  const create = useCreateMemory();
  const update = useUpdateMemory();
  const { id } = memory;
  const save = () => (id ? update.mutateAsync({ id, content }) : create.mutateAsync({ content }));
  return (
    <FormDialog
      title={id ? t`Edit memory` : t`Add memory`}
      action={t`Save`}
      isReady={content.trim() !== ""}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={t`What to remember`}
        hint={t`One sentence. Passwords, keys and card numbers are refused.`}
        required
        maxLength={2000}
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
    </FormDialog>
  );
}

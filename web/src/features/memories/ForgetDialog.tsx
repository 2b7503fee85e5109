import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useDeleteMemories } from "@/data/memories";
import type { MemoryJson } from "@/gen/echomind/public/v1/memory_pb";
import { FormDialog } from "@/ui/FormDialog";
import styles from "./memories.module.css";

const SHOWN = 5;

/** Memories from deleted conversations, and whether to delete them too. */
export function ForgetDialog({ memories, onClose }: { memories: readonly MemoryJson[]; onClose: () => void }) {
  const { t } = useLingui();
  const remove = useDeleteMemories();
  const more = memories.length - SHOWN;
  return (
    <FormDialog
      title={t`Delete the memories from it, too?`}
      action={t`Delete memories`}
      isDangerous
      isReady
      onSubmit={() => remove.mutateAsync(memories.flatMap(({ id }) => id ?? []))}
      onClose={onClose}
    >
      <p>
        {plural(memories.length, {
          one: "# memory came from what you have deleted. It stays unless you delete it permanently here.",
          other: "# memories came from what you have deleted. They stay unless you delete them permanently here.",
        })}
      </p>
      <ul className={styles.quoted}>
        {memories.slice(0, SHOWN).map(({ id, content }) => (
          <li key={id}>{content}</li>
        ))}
        {more > 0 && <li>{plural(more, { one: "and # more", other: "and # more" })}</li>}
      </ul>
    </FormDialog>
  );
}

import { Plural } from "@lingui/react/macro";
import { useState } from "react";
import { lazyPart } from "@/ui/lazy-part";
import styles from "./Answer.module.css";

const MemoryNotes = lazyPart(async () => (await import("@/features/memories/MemoryNotes")).MemoryNotes);

/** How many memories were in the prompt of an answer and, opened, which. */
export function UsedMemories({ ids }: { ids: readonly number[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.memories} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Plural value={ids.length} one="Used # memory" other="Used # memories" />
      </summary>
      {isOpen && <MemoryNotes ids={ids} />}
    </details>
  );
}

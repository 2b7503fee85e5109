import { Plural } from "@lingui/react/macro";
import { lazy, Suspense, useState } from "react";
import styles from "./Answer.module.css";

const MemoryNotes = lazy(async () => ({ default: (await import("@/features/memories/MemoryNotes")).MemoryNotes }));

/** How many memories were in the prompt of an answer and, opened, which. */
export function UsedMemories({ ids }: { ids: readonly number[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.memories} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Plural value={ids.length} one="Used # memory" other="Used # memories" />
      </summary>
      <Suspense>{isOpen && <MemoryNotes ids={ids} />}</Suspense>
    </details>
  );
}

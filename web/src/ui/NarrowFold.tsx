import { useSyncExternalStore, type ReactNode } from "react";
import styles from "./NarrowFold.module.css";

const NARROW = "(max-width: 40rem)";

interface NarrowFoldProps {
  /** What is in it. */
  label: string;
  children: ReactNode;
}

/** Something that folds on narrow screens, where the list under it matters more; on others it is just there. */
export function NarrowFold({ label, children }: NarrowFoldProps) {
  const isNarrow = useSyncExternalStore(onWidthChange, () => matchMedia(NARROW).matches);
  return (
    <details className={styles.fold} open={!isNarrow}>
      <summary>{label}</summary>
      {children}
    </details>
  );
}

function onWidthChange(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

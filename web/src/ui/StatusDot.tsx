import { classes } from "./classes";
import styles from "./StatusDot.module.css";

/** Status icons: each has its own shape besides its colour. */
export type StatusShape = "queued" | "running" | "waiting" | "paused" | "done" | "failed" | "cancelled";

/** A state as a small shape with its word, which is shown or for screen readers and as a tooltip. */
export function StatusDot({ shape, label, isLabelled = false }: { shape: StatusShape; label: string; isLabelled?: boolean }) {
  return (
    <span className={styles.status} title={isLabelled ? undefined : label}>
      <span className={classes(styles.dot, styles[shape])} aria-hidden />
      <span className={isLabelled ? undefined : "visually-hidden"}>{label}</span>
    </span>
  );
}

import styles from "./Spinner.module.css";

/** A progress indicator. `label` is for screen readers; omit it beside a visible text. */
export function Spinner({ label }: { label?: string }) {
  return <span className={styles.spinner} {...(label ? { role: "status", "aria-label": label } : { "aria-hidden": true })} />;
}

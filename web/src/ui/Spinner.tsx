import styles from "./Spinner.module.css";

/** Something is going on. `label` is for screen readers; leave it out beside words that say it. */
export function Spinner({ label }: { label?: string }) {
  return <span className={styles.spinner} {...(label ? { role: "status", "aria-label": label } : { "aria-hidden": true })} />;
}

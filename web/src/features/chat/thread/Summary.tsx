import { ChevronRight } from "lucide-react";
import styles from "./Summary.module.css";

/** Says that the model knows what is above by a summary only, and shows it. */
export function Summary({ text }: { text: string }) {
  return (
    <details className={styles.summary}>
      <summary className={styles.head}>
        <ChevronRight size={14} className={styles.chevron} aria-hidden />
        Earlier messages are summarized for the model
      </summary>
      <p className={styles.text}>{text}</p>
    </details>
  );
}

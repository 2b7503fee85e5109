import { Trans } from "@lingui/react/macro";
import { ChevronRight } from "lucide-react";
import styles from "./Summary.module.css";

/** Explains that the model knows the messages above only as a summary, and shows it. */
export function Summary({ text }: { text: string }) {
  return (
    <details className={styles.summary}>
      <summary className={styles.head}>
        <ChevronRight size={14} className={styles.chevron} aria-hidden />
        <Trans>Earlier messages are summarized for the model</Trans>
      </summary>
      <p className={styles.text}>{text}</p>
    </details>
  );
}

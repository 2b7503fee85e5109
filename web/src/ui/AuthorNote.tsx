import { Trans } from "@lingui/react/macro";
import styles from "./AuthorNote.module.css";

/** The note at a question that the owner of the conversation has not written, or perhaps not. */
export function AuthorNote({ isCertain }: { isCertain: boolean }) {
  return (
    <p className={styles.author}>
      {isCertain ? <Trans>Written by somebody else</Trans> : <Trans>Perhaps written by somebody else</Trans>}
    </p>
  );
}

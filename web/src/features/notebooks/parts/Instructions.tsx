import { Trans, useLingui } from "@lingui/react/macro";
import { canEdit } from "@/data/notebooks";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import styles from "../notebooks.module.css";

/** The instructions of a notebook, who wrote them, and what it means for answers that others did. */
export function Instructions({ notebook }: { notebook: NotebookJson }) {
  const { t } = useLingui();
  const { instructions, instructionsAuthorName, isWrittenByCaller = false, role } = notebook;
  const isMember = role !== undefined && role !== "NOTEBOOK_ROLE_UNSPECIFIED";
  return (
    <section className={styles.panel} aria-labelledby="notebook-instructions">
      <header className={styles.head}>
        <h2 id="notebook-instructions">
          <Trans>Instructions</Trans>
        </h2>
      </header>
      <p className={instructions ? styles.instructions : styles.empty}>
        {instructions || t`None. An editor can say here how questions are answered.`}
      </p>
      {instructions && canEdit(role) && (
        <p className={styles.empty}>
          {instructionsAuthorName ? t`Written by ${instructionsAuthorName}` : t`Written by several people, or nobody knows by whom`}
        </p>
      )}
      {isMember && !isWrittenByCaller && (
        <p className={styles.empty}>
          <Trans>Others wrote the title or the instructions: tools that change something ask for your approval here.</Trans>{" "}
          {canEdit(role) && (
            <Trans>To make them your own words, save a text that keeps nothing of theirs.</Trans>
          )}
        </p>
      )}
    </section>
  );
}

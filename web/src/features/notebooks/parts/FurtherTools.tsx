import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { canEdit } from "@/data/notebooks";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import styles from "../notebooks.module.css";
import { FurtherToolsDialog } from "./FurtherToolsDialog";
import { useFurtherToolLabel } from "./tool-labels";

/** The tools that answers in a notebook may use besides its sources. */
export function FurtherTools({ notebook }: { notebook: NotebookJson }) {
  const { t } = useLingui();
  const { role, tools = [] } = notebook;
  const label = useFurtherToolLabel();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={styles.panel} aria-labelledby="notebook-tools">
      <header className={styles.head}>
        <h2 id="notebook-tools">
          <Trans>Further tools</Trans>
        </h2>
        {canEdit(role) && (
          <Button size="sm" onClick={() => setOpen(true)} aria-label={t`Choose further tools`}>
            <Trans>Choose</Trans>
          </Button>
        )}
      </header>
      {tools.length > 0 ? (
        <>
          <ul className={styles.tools} aria-labelledby="notebook-tools">
            {tools.map((name) => (
              <li key={name}>{label(name)}</li>
            ))}
          </ul>
          <p className={styles.empty}>
            <Trans>Answers may use them if the assistant has them. Each answer says which ones it used.</Trans>
          </p>
        </>
      ) : (
        <p className={styles.empty}>
          <Trans>None: answers use the sources alone.</Trans>
        </p>
      )}
      {isOpen && <FurtherToolsDialog id={notebook.id ?? ""} allowed={tools} onClose={() => setOpen(false)} />}
    </section>
  );
}

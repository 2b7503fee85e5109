import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { setupKeys } from "@/data/setup";
import { DocumentUpload } from "@/features/documents/DocumentUpload";
import { useUploads } from "@/features/documents/UploadsProvider";
import { Button } from "@/ui/Button";
import type { StepProps } from "./step-props";
import styles from "../SetupPage.module.css";

/** Selects the first documents. */
export function DocumentsStep({ isDone, onDone }: StepProps) {
  const client = useQueryClient();
  const [uploads] = useUploads();
  const left = uploads.length;
  useEffect(() => void client.invalidateQueries({ queryKey: setupKeys.all }), [client, left]);
  return (
    <div className={styles.form}>
      <p className={styles.text}>
        <Trans>Answers come from documents, with their sources. Add some now; there is more under Documents, and folders by the command line.</Trans>
      </p>
      <DocumentUpload />
      {(isDone || left > 0) && (
        <div className={styles.actions}>
          <Button variant="primary" onClick={onDone}>
            <Trans>Continue</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}

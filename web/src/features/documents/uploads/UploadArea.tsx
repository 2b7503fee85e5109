import { Trans, useLingui } from "@lingui/react/macro";
import { FileUp } from "lucide-react";
import { useId, useRef, useState, type DragEvent } from "react";
import { useAudiences } from "@/data/audiences";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { Notice } from "@/ui/Notice";
import { useUploads } from "../UploadsProvider";
import { chosenFiles, droppedFiles } from "./dropped-files";
import { UploadList } from "./UploadList";
import styles from "./UploadArea.module.css";

/** A drop zone for files, with their visibility. */
export function UploadArea() {
  const { t } = useLingui();
  const audiences = useAudiences();
  const [value, setValue] = useState("user");
  const [isOver, setOver] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [, uploads] = useUploads();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const audience = audiences.find((item) => item.value === value) ?? audiences[0];

  const onDrop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    try {
      setFailure(undefined);
      uploads.add(await droppedFiles(event.dataTransfer), audience);
    } catch (error) {
      setFailure(t`What was dropped could not be read: ${String(error)}`);
    }
  };
  return (
    <section aria-label={t`Upload`} className={styles.section}>
      {/* Dropping is a short cut for the pointer; the button does the same for everyone. */}
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className={classes(styles.area, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => void onDrop(event)}
      >
        <FileUp size={22} className={styles.icon} aria-hidden />
        <p className={styles.text}>
          <strong>
            <Trans>Drop files or folders here</Trans>
          </strong>
          <span>
            <Trans>PDF, Word, PowerPoint, Excel, HTML, Markdown, plain text and more</Trans>
          </span>
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            uploads.add(chosenFiles(event.target.files), audience);
            event.target.value = "";
          }}
        />
        <div className={styles.controls}>
          {audiences.length > 1 && (
            <>
              <label htmlFor={id}>
                <Trans>Visible to</Trans>
              </label>
              <select id={id} value={audience.value} onChange={(event) => setValue(event.target.value)}>
                {audiences.map((item) => (
                  <option key={item.value} value={item.value}>
                    {item.label}
                  </option>
                ))}
              </select>
            </>
          )}
          <Button variant="primary" onClick={() => input.current?.click()}>
            <Trans>Choose files</Trans>
          </Button>
        </div>
      </div>
      {failure && <Notice tone="danger">{failure}</Notice>}
      <UploadList />
    </section>
  );
}

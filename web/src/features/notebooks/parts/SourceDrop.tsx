import { Trans, useLingui } from "@lingui/react/macro";
import { FileUp, Link2 } from "lucide-react";
import { useRef, useState, type DragEvent } from "react";
import { useAudiences } from "@/data/audiences";
import { useAddPages, useAddSources } from "@/data/notebooks";
import { chosenFiles, droppedFiles, UploadList, type DroppedFile } from "@/features/documents/DocumentUpload";
import { useUploads } from "@/features/documents/UploadsProvider";
import type { NotebookJson } from "@/gen/echomind/public/v1/notebook_pb";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { Notice } from "@/ui/Notice";
import { PasteDialog } from "./PasteDialog";
import { addressesIn, fileOf, folderOf } from "./pasted";
import styles from "../notebooks.module.css";

/** Takes files, folders, addresses and text as sources of a notebook, dropped or chosen. */
export function SourceDrop({ notebook }: { notebook: NotebookJson }) {
  const { t } = useLingui();
  const { id = "", title = "" } = notebook;
  const audiences = useAudiences();
  const [value, setValue] = useState(audiences[0].value);
  const audience = audiences.find((one) => one.value === value) ?? audiences[0];
  const [isOver, setOver] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isPasting, setPasting] = useState(false);
  const [, uploads] = useUploads();
  const addition = useAddSources(id);
  const pages = useAddPages(id);
  const input = useRef<HTMLInputElement>(null);

  // A folder of the notebook's name keeps them apart from files of the same names elsewhere.
  const upload = (files: readonly DroppedFile[]) =>
    uploads.add(
      files.map(({ file, path }) => ({ file, path: `${folderOf(title)}/${path}` })),
      audience,
      (documentId) => addition.mutateAsync({ connectorIds: [], documentIds: [documentId] }),
    );
  const paste = async (text: string, name = "") => {
    const addresses = addressesIn(text);
    if (addresses.length > 0) await pages.mutateAsync({ addresses, audience });
    else upload([fileOf(text, name)]);
  };
  const onDrop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const transfer = event.dataTransfer;
    // Read before the first await: the browser clears it afterwards.
    const text = transfer.getData("text/uri-list") || transfer.getData("text/plain");
    const hasFiles = transfer.types.includes("Files");
    try {
      setFailure(undefined);
      if (hasFiles) upload(await droppedFiles(transfer));
      else if (text.trim()) await paste(text);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : t`What was dropped could not be read: ${String(error)}`);
    }
  };
  return (
    <>
      {/* Dropping is a short cut for the pointer; the buttons do the same for everyone. */}
      {/* eslint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        className={classes(styles.drop, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => void onDrop(event)}
      >
        <p>
          <Trans>Drop files, folders, addresses or text here</Trans>
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t`Files for this notebook`}
          onChange={(event) => {
            upload(chosenFiles(event.target.files));
            event.target.value = "";
          }}
        />
        <div className={styles.actions}>
          <Button size="sm" onClick={() => input.current?.click()}>
            <FileUp size={14} aria-hidden /> <Trans>Choose files</Trans>
          </Button>
          <Button size="sm" onClick={() => setPasting(true)}>
            <Link2 size={14} aria-hidden /> <Trans>Address or text</Trans>
          </Button>
        </div>
        {audiences.length > 1 && (
          <label className={styles.audience}>
            <Trans>Visible to</Trans>
            <select value={value} onChange={(event) => setValue(event.target.value)}>
              {audiences.map((one) => (
                <option key={one.value} value={one.value}>
                  {one.label}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {failure && <Notice tone="danger">{failure}</Notice>}
      <UploadList />
      {isPasting && <PasteDialog onPaste={paste} onClose={() => setPasting(false)} />}
    </>
  );
}

import { Trans } from "@lingui/react/macro";
import { useState, type DragEvent, type ReactNode } from "react";
import styles from "./FileDrop.module.css";

interface FileDropProps {
  /** Left out where none can be attached. */
  onFiles: ((files: File[]) => void) | undefined;
  children: ReactNode;
}

/** A part of a page on which files can be dropped. The paperclip of the composer does the same by keyboard. */
export function FileDrop({ onFiles, children }: FileDropProps) {
  const [depth, setDepth] = useState(0);
  const hasFiles = (event: DragEvent) => onFiles !== undefined && event.dataTransfer.types.includes("Files");
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- the attach button is the keyboard equivalent
    <div
      className={styles.area}
      onDragEnter={(event) => hasFiles(event) && setDepth(depth + 1)}
      onDragLeave={(event) => hasFiles(event) && setDepth(Math.max(0, depth - 1))}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        onFiles?.([...event.dataTransfer.files]);
      }}
    >
      {children}
      {depth > 0 && (
        <div className={styles.over} aria-hidden>
          <Trans>Drop files to attach them to your question</Trans>
        </div>
      )}
    </div>
  );
}

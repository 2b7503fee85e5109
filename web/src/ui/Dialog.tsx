import { X } from "lucide-react";
import { createPortal } from "react-dom";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./Button";
import { classes } from "./classes";
import styles from "./Dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Whether it holds something to read, not a question. */
  isWide?: boolean;
  children: ReactNode;
}

/** A modal dialog: mount it to open it. The browser keeps the focus inside and closes it on Escape. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return createPortal(
    <dialog ref={ref} className={classes(styles.dialog, isWide && styles.wide)} aria-labelledby={titleId} onClose={onClose}>
      <header className={styles.header}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        <IconButton label="Close" onClick={() => ref.current?.close()}>
          <X size={18} />
        </IconButton>
      </header>
      {children}
    </dialog>,
    document.body,
  );
}

/** The row of buttons at a dialog's end. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className={styles.actions}>{children}</footer>;
}

import { useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "./Button";
import { classes } from "./classes";
import styles from "./Dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Whether it is something to read, not a question. */
  isWide?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog: mount it to open it. The browser traps the focus and closes it on Escape. The first field gets the
 * focus, and the opener gets it back afterwards.
 */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const { t } = useLingui();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.showModal();
    // By default, the browser would focus the close button.
    ref.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    // The browser restores the focus only if a dialog is closed before it is removed.
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return createPortal(
    <dialog ref={ref} className={classes(styles.dialog, isWide && styles.wide)} aria-labelledby={titleId} onClose={onClose}>
      <header className={styles.header}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        <IconButton label={t`Close`} onClick={() => ref.current?.close()}>
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

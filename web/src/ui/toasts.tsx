/** Toasts: short messages about completed actions, with undo. They stay while they are focused or hovered. */
import { useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { Button, IconButton } from "./Button";
import styles from "./toasts.module.css";

const SHOWN_MS = 6000;
/** Long enough to find it and press it, see WCAG 2.2.1. */
const SHOWN_WITH_ACTION_MS = 12_000;
const LIMIT = 4;

interface ToastOptions {
  message: ReactNode;
  /** A danger interrupts a screen reader. */
  tone?: "info" | "danger";
  action?: { label: string; run: () => unknown };
}

interface Toast extends ToastOptions {
  key: number;
}

let toasts: readonly Toast[] = [];
let lastKey = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a message for some seconds; new toasts replace the oldest. */
export function showToast(options: ToastOptions): void {
  lastKey += 1;
  change([...toasts, { ...options, key: lastKey }].slice(-LIMIT));
}

/** Shows why something failed. */
export function showFailure(error: Error): void {
  showToast({ message: error.message, tone: "danger" });
}

/** Runs the action of the newest message that has one; returns whether there was one. */
export function runNewestAction(): boolean {
  const toast = toasts.findLast(({ action }) => action);
  if (toast) act(toast);
  return toast !== undefined;
}

function act(toast: Toast): void {
  dismiss(toast.key);
  void toast.action?.run();
}

function dismiss(key: number): void {
  change(toasts.filter((toast) => toast.key !== key));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The region of the toasts; rendered once, beside the pages. */
export function Toasts() {
  const { t } = useLingui();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className={styles.region} aria-label={t`Notifications`} aria-live="polite">
      {shown.map((toast) => (
        <ToastItem key={toast.key} toast={toast} />
      ))}
    </section>
  );
}

function ToastItem({ toast }: { toast: Toast }) {
  const { t } = useLingui();
  const [isHeld, setHeld] = useState(false);
  const { key, action, message, tone = "info" } = toast;
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => dismiss(key), action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, key, action]);
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- hovering only keeps the toast visible
    <div
      className={styles.toast}
      data-tone={tone}
      role={tone === "danger" ? "alert" : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className={styles.message}>{message}</div>
      {action && (
        <Button size="sm" onClick={() => act(toast)}>
          {action.label}
        </Button>
      )}
      <IconButton label={t`Dismiss`} onClick={() => dismiss(key)}>
        <X size={16} />
      </IconButton>
    </div>
  );
}


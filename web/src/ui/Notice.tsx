import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes";
import styles from "./Notice.module.css";

interface NoticeProps {
  tone: "info" | "warn" | "danger";
  children: ReactNode;
  /** Buttons that help. */
  actions?: ReactNode;
}

const ICONS = { info: Info, warn: TriangleAlert, danger: CircleAlert };

/** A message that stays as long as its cause lasts. */
export function Notice({ tone, children, actions }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div className={classes(styles.notice, styles[tone])} role={tone === "danger" ? "alert" : "note"}>
      <Icon size={16} className={styles.icon} aria-hidden />
      <div className={styles.text}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

import type { ReactNode } from "react";
import { classes } from "./classes";
import styles from "./Badge.module.css";

/** A state in a word or two. */
export function Badge({ tone, children }: { tone: "neutral" | "accent" | "warn" | "danger"; children: ReactNode }) {
  return <span className={classes(styles.badge, styles[tone])}>{children}</span>;
}

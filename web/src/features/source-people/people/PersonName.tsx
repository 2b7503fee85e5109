import type { ReactNode } from "react";
import styles from "./source-people.module.css";

/** Somebody at a source: what they are called there, their address, or at least their identifier. */
export function PersonName({ name = "", email = "", principal = "", children }: { name?: string; email?: string; principal?: string; children?: ReactNode }) {
  const title = name || email || principal;
  return (
    <span className={styles.person}>
      <span className={styles.name} title={principal}>
        {title} {children}
      </span>
      {email && email !== title && <span className={styles.email}>{email}</span>}
    </span>
  );
}

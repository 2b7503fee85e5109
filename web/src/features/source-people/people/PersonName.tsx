import type { ReactNode } from "react";
import styles from "./source-people.module.css";

/** A person at a source: their name there, their address, or else their identifier. */
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

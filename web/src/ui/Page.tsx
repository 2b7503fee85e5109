import type { ReactNode } from "react";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** The part of the product that the page belongs to, for the document's title. */
  section?: string;
  description?: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its heading, which is in the document's title, too. */
export function Page({ title, section, description, actions, children }: PageProps) {
  return (
    <main className={styles.page}>
      <title>{[title, section, "EchoMind"].filter(Boolean).join(" · ")}</title>
      <header className={styles.header}>
        <div className={styles.titles}>
          <h1>{title}</h1>
          {description && <p>{description}</p>}
        </div>
        {actions}
      </header>
      {children}
    </main>
  );
}

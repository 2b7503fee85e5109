import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { classes } from "./classes";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** The part of the product that the page belongs to, for the document's title. */
  section?: string;
  /** The pages above it, the highest first. */
  parents?: readonly { href: string; label: string }[];
  description?: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Whether a table of many columns fills it. */
  isWide?: boolean;
  children: ReactNode;
}

/** A page with its heading, which is in the document's title, too. */
export function Page({ title, section, parents = [], description, actions, isWide = false, children }: PageProps) {
  const { t } = useLingui();
  return (
    <main className={classes(styles.page, isWide && styles.wide)}>
      <title>{[title, section, "EchoMind"].filter(Boolean).join(" · ")}</title>
      <header className={styles.header}>
        <div className={styles.titles}>
          {parents.length > 0 && (
            <nav className={styles.parents} aria-label={t`Breadcrumb`}>
              {parents.map(({ href, label }) => (
                <Link key={href} href={href}>
                  {label}
                </Link>
              ))}
            </nav>
          )}
          <h1>{title}</h1>
          {description && <p>{description}</p>}
        </div>
        {actions}
      </header>
      {children}
    </main>
  );
}

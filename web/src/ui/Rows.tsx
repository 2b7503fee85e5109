import { Children, type ReactNode } from "react";
import { Link } from "wouter";
import styles from "./Rows.module.css";

interface RowsProps {
  label: string;
  /** Shown instead of an empty list. */
  whenEmpty?: string;
  children: ReactNode;
}

/** A list of things, a row each. */
export function Rows({ label, whenEmpty, children }: RowsProps) {
  if (whenEmpty && Children.count(children) === 0) return <p className={styles.empty}>{whenEmpty}</p>;
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

interface RowProps {
  name: string;
  /** The longer name that it is known by elsewhere, shown when one points at it. */
  title?: string;
  /** Whether the name is displayed in full; otherwise on one line. */
  isSentence?: boolean;
  /** Its own page. */
  href?: string | undefined;
  /** Its states, in a word or two each. */
  badges?: ReactNode;
  /** Its properties; empty ones are omitted. */
  facts: readonly (string | false | undefined)[];
  /** Its actions. */
  actions?: ReactNode;
  /** Messages and dialogs. */
  children?: ReactNode;
}

/** An item with its name, details and actions. */
export function Row({ name, title, isSentence = false, href, badges, facts, actions, children }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.main}>
        <div className={styles.name}>
          {href ? (
            <Link href={href} title={title}>
              {name}
            </Link>
          ) : (
            <span title={title} className={isSentence ? styles.sentence : undefined}>
              {name}
            </span>
          )}
          {badges}
        </div>
        <p className={styles.facts}>{facts.filter(Boolean).join(" · ")}</p>
        {children}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}

import { Link, useLocation } from "wouter";
import type { SectionPage } from "./sections";
import styles from "./SectionNav.module.css";

/** The pages of a section as tabs above them. */
export function SectionNav({ label, pages }: { label: string; pages: readonly SectionPage[] }) {
  const [path] = useLocation();
  return (
    <nav className={styles.nav} aria-label={label}>
      {pages.map((page) => (
        <Link key={page.href} href={page.href} className={styles.link} aria-current={path === page.href ? "page" : undefined}>
          {page.label}
        </Link>
      ))}
    </nav>
  );
}

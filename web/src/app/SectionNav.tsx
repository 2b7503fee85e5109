import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { classes } from "@/ui/classes";
import { isBelow, type Section, type SectionPage } from "./sections";
import styles from "./SectionNav.module.css";

/** The pages of a section: a list beside the page or a row above it, on a phone always a row. */
export function SectionNav({ section, pages }: { section: Section; pages: readonly SectionPage[] }) {
  const { t } = useLingui();
  const [path] = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone, the row is wider than the screen: scroll to the current page.
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  return (
    <nav ref={nav} className={classes(styles.nav, section.isRow && styles.row)} aria-label={t(section.label)}>
      <p className={styles.title}>{t(section.label)}</p>
      {pages.map((page) => (
        <Link key={page.href} href={page.href} className={styles.link} aria-current={isBelow(page.href, path) ? "page" : undefined}>
          {t(page.label)}
        </Link>
      ))}
    </nav>
  );
}

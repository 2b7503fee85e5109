import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import type { Section, SectionPage } from "./sections";
import styles from "./SectionNav.module.css";

/** The pages of a section: a list beside the page, on a phone a row above it. */
export function SectionNav({ section, pages }: { section: Section; pages: readonly SectionPage[] }) {
  const { t } = useLingui();
  const [path] = useLocation();
  const isCurrent = ({ href }: SectionPage) => path === href || path.startsWith(`${href}/`);
  const nav = useRef<HTMLElement>(null);
  // On a phone, the row is wider than the screen: scroll to the current page.
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  return (
    <nav ref={nav} className={styles.nav} aria-label={t(section.label)}>
      <p className={styles.title}>{t(section.label)}</p>
      {pages.map((page) => (
        <Link key={page.href} href={page.href} className={styles.link} aria-current={isCurrent(page) ? "page" : undefined}>
          {t(page.label)}
        </Link>
      ))}
    </nav>
  );
}

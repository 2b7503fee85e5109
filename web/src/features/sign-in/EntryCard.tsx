import type { ReactNode } from "react";
import { Logo } from "@/ui/Logo";
import styles from "./EntryCard.module.css";

/** The layout for people who are not signed in: one action, centred on the page. */
export function EntryCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles.page}>
      <title>{`${title} · EchoMind`}</title>
      <div className={styles.card}>
        <Logo />
        <h1 className={styles.title}>{title}</h1>
        {children}
      </div>
    </main>
  );
}

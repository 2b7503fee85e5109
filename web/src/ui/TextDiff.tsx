import { useMemo } from "react";
import { wordDiff, type Part } from "./word-diff";
import styles from "./TextDiff.module.css";

/** Longer texts are shown one after the other, because a comparison would take too long. */
const MAX_CHARACTERS = 15_000;

/** The changes of a text: removed words struck through, new ones underlined. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => {
    if (Math.max(before.length, after.length) <= MAX_CHARACTERS) return wordDiff(before, after);
    return [
      { text: `${before}\n`, in: "first" },
      { text: after, in: "second" },
    ] as const;
  }, [before, after]);
  return <TextDiffParts parts={parts} />;
}

/** A comparison computed by the server, in reading order. */
export function TextDiffParts({ parts }: { parts: readonly Part[] }) {
  return (
    <p className={styles.text}>
      {parts.map((part, index) => {
        if (part.in === "both") return <span key={index}>{part.text}</span>;
        return part.in === "first" ? <del key={index}>{part.text}</del> : <ins key={index}>{part.text}</ins>;
      })}
    </p>
  );
}

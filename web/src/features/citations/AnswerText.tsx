import { lazy, Suspense } from "react";
import type { MarkdownProps } from "./markdown/Markdown";
import styles from "./markdown/Markdown.module.css";

const load = () => import("./markdown/Markdown");
const Markdown = lazy(async () => ({ default: (await load()).Markdown }));

/** Preloads the code of `AnswerText`. */
export function preloadAnswerText(): void {
  void load();
}

/** An answer's text with its citations; as plain text until the Markdown renderer is loaded. */
export function AnswerText(props: MarkdownProps) {
  return (
    <Suspense fallback={<div className={styles.plain}>{props.content}</div>}>
      <Markdown {...props} />
    </Suspense>
  );
}

import { lazyPart } from "@/ui/lazy-part";
import type { MarkdownProps } from "./markdown/Markdown";
import styles from "./markdown/Markdown.module.css";

const Markdown = lazyPart(async () => (await import("./markdown/Markdown")).Markdown, { whenFailed: "fallback" });

/** Preloads the code of `AnswerText`. */
export const preloadAnswerText = Markdown.preload;

/** An answer's text with its citations; as plain text until the Markdown renderer is loaded. */
export function AnswerText(props: MarkdownProps) {
  return <Markdown {...props} fallback={<div className={styles.plain}>{props.content}</div>} />;
}

import { lazyPart } from "@/ui/lazy-part";
import type { SourceTextProps } from "./markdown/SourceText";
import styles from "./markdown/Markdown.module.css";

const Rendered = lazyPart(async () => (await import("./markdown/SourceText")).SourceText, { whenFailed: "fallback" });

/** A text of a source with a quote marked; as plain text until the Markdown renderer is loaded. */
export function SourceText(props: SourceTextProps) {
  return <Rendered {...props} fallback={<div className={styles.plain}>{props.content}</div>} />;
}

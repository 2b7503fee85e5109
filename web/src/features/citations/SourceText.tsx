import { lazy, Suspense } from "react";
import type { SourceTextProps } from "./markdown/SourceText";
import styles from "./markdown/Markdown.module.css";

const Rendered = lazy(async () => ({ default: (await import("./markdown/SourceText")).SourceText }));

/** A text of a source with a quote marked; as plain text until the Markdown renderer is loaded. */
export function SourceText(props: SourceTextProps) {
  return (
    <Suspense fallback={<div className={styles.plain}>{props.content}</div>}>
      <Rendered {...props} />
    </Suspense>
  );
}

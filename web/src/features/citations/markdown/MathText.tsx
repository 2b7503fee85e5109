import { useLayoutEffect, useRef } from "react";
import temml from "temml";
import styles from "./Markdown.module.css";

/** Math as MathML, which the browser renders with its own fonts; invalid math is shown as its source. */
export default function MathText({ tex, isDisplay }: { tex: string; isDisplay: boolean }) {
  const ref = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!ref.current) return;
    temml.render(tex, ref.current, {
      displayMode: isDisplay,
      annotate: true,
      throwOnError: false,
      trust: false,
      maxSize: [10, 10],
      maxExpand: 100,
    });
  }, [tex, isDisplay]);
  return <span ref={ref} className={isDisplay ? styles.display : undefined} />;
}

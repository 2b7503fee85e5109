import { useLingui } from "@lingui/react/macro";
import { type ReactNode } from "react";
import { CopyButton } from "@/ui/CopyButton";
import { lazyPart } from "@/ui/lazy-part";
import { languageOf } from "./languages";
import styles from "./Markdown.module.css";

const HighlightedCode = lazyPart(async () => (await import("./HighlightedCode")).default, { whenFailed: "fallback" });

interface CodeBlockProps {
  /** The name in the fence's info string; empty for none. */
  language: string;
  code: string;
  /** Whether it is complete: text in progress is highlighted when it is complete. */
  isWhole: boolean;
}

/** Code with its language and a button that copies it. */
export function CodeBlock({ language, code, isWhole }: CodeBlockProps) {
  const { t } = useLingui();
  const plain: ReactNode = <code>{code}</code>;
  const name = languageOf(language);
  return (
    <figure className={styles.code} aria-label={language ? t`Code in ${language}` : t`Code`}>
      <figcaption className={styles.codeHead}>
        <span>{language}</span>
        <CopyButton label={t`Copy code`} className={styles.copy} text={() => code} />
      </figcaption>
      {/* A long line scrolls, so the block must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>
        {isWhole && name ? (
          <HighlightedCode name={name} code={code} fallback={plain} />
        ) : (
          plain
        )}
      </pre>
    </figure>
  );
}

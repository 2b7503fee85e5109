import type { Nodes } from "hast";
import { createLowlight } from "lowlight";
import { Fragment, useEffect, useState, type ReactNode } from "react";
import { loadGrammar } from "./languages";
import styles from "./HighlightedCode.module.css";

const lowlight = createLowlight();

/** Colours of token kinds, by the classes of highlight.js. */
const TONES: Record<string, string | undefined> = {
  "hljs-keyword": styles.keyword,
  "hljs-literal": styles.keyword,
  "hljs-meta": styles.keyword,
  "hljs-selector-tag": styles.keyword,
  "hljs-name": styles.keyword,
  "hljs-string": styles.string,
  "hljs-regexp": styles.string,
  "hljs-addition": styles.string,
  "hljs-number": styles.number,
  "hljs-attr": styles.number,
  "hljs-attribute": styles.number,
  "hljs-built_in": styles.name,
  "hljs-title": styles.name,
  "hljs-type": styles.name,
  "hljs-comment": styles.comment,
  "hljs-quote": styles.comment,
  "hljs-deletion": styles.deletion,
};

/** Code with its words coloured, as soon as the grammar of its language is there. */
export default function HighlightedCode({ name, code }: { name: string; code: string }) {
  const isKnown = useGrammar(name);
  return <code>{isKnown ? lowlight.highlight(name, code).children.map(rendered) : code}</code>;
}

/** Loads a language, and returns whether it is there; code in a language that cannot be loaded stays plain. */
function useGrammar(name: string): boolean {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    let isUnmounted = false;
    loadGrammar(name).then(
      (grammar) => {
        lowlight.register(name, grammar);
        if (!isUnmounted) setLoaded(true);
      },
      () => undefined,
    );
    return () => {
      isUnmounted = true;
    };
  }, [name]);
  return isLoaded || lowlight.registered(name);
}

function rendered(node: Nodes, index: number): ReactNode {
  if (node.type === "text") return <Fragment key={index}>{node.value}</Fragment>;
  if (node.type !== "element") return null;
  const names = Array.isArray(node.properties["className"]) ? node.properties["className"] : [];
  const tone = names.map((one) => TONES[one]).find(Boolean);
  return (
    <span key={index} className={tone}>
      {node.children.map(rendered)}
    </span>
  );
}

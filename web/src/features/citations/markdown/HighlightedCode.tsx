import type { Nodes } from "hast";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import { Fragment, type ReactNode } from "react";
import styles from "./HighlightedCode.module.css";

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});

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

/** Code with its words coloured; as it is when its language is not known. */
export default function HighlightedCode({ language, code }: { language: string; code: string }) {
  const name = language.toLowerCase();
  return <code>{lowlight.registered(name) ? lowlight.highlight(name, code).children.map(rendered) : code}</code>;
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

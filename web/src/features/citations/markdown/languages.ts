/** The programming languages whose code is coloured; each is loaded when code in it is first shown. */
import type { LanguageFn } from "highlight.js";

type Load = () => Promise<{ default: LanguageFn }>;

const LANGUAGES: Readonly<Record<string, Load>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  go: () => import("highlight.js/lib/languages/go"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  python: () => import("highlight.js/lib/languages/python"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** Other names of the languages, as people and models write them in a fence. */
const ALIASES: Readonly<Record<string, string>> = {
  sh: "bash", zsh: "bash", shell: "bash", console: "bash",
  h: "c", cc: "cpp", "c++": "cpp", hpp: "cpp", cxx: "cpp", cs: "csharp", "c#": "csharp",
  patch: "diff", golang: "go", jsp: "java",
  js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript", jsonc: "json", json5: "json",
  py: "python", py3: "python", gyp: "python", ipython: "python", rs: "rust",
  ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript",
  html: "xml", xhtml: "xml", svg: "xml", rss: "xml", atom: "xml", plist: "xml", yml: "yaml",
};

/** Returns the name of a fence's language, undefined if it is not coloured. */
export function languageOf(info: string): string | undefined {
  const name = info.toLowerCase();
  const known = ALIASES[name] ?? name;
  return Object.hasOwn(LANGUAGES, known) ? known : undefined;
}

/** Loads the grammar of a language by its name. */
export async function loadGrammar(name: string): Promise<LanguageFn> {
  const load = LANGUAGES[name];
  if (!load) throw new Error(`No grammar of ${name}`);
  return (await load()).default;
}

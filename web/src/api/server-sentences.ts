/** German translations of the server's sentences, found by the English sentence with its values. Loaded only in German.
*/
import texts from "@/locales/de/server-sentences.json";

interface Template {
  pattern: RegExp;
  german: string;
  /** Characters without the values: of the templates that match a text, the longest one is used. */
  length: number;
}

const VALUE = /\{\d\}/;
const NUMBER = /^\d{1,3}(?:,\d{3})+$/;
/** Templates with fewer literal characters would also match names. */
const SURE = 10;
/** Longer texts are not from the server, but from a tool, for example. */
const LONGEST = 2000;

const whole: ReadonlyMap<string, string> = new Map(Object.entries(texts));
const templates: readonly Template[] = Object.entries(texts)
  .filter(([english]) => VALUE.test(english))
  .map(([english, german]) => ({
    pattern: new RegExp(`^${english.split(VALUE).map(escaped).join("(.*?)")}$`, "su"),
    german,
    length: english.split(VALUE).join("").length,
  }))
  .sort((one, other) => other.length - one.length);

/** A text in German, sentence by sentence; a sentence that is not known stays as it is. */
export function inGerman(text: string): string {
  if (text.length > LONGEST) return text;
  const sentences = text.split(/(?<=[.!?]) (?=\S)/u);
  const found: string[] = [];
  while (sentences.length > 0) {
    const { german, count } = longest(sentences);
    found.push(german);
    sentences.splice(0, count);
  }
  return found.join(" ");
}

/** The German for as many sentences from the first on as are known together; for the first as it is when none is. */
function longest(sentences: readonly string[]): { german: string; count: number } {
  for (const count of [sentences.length, 4, 3, 2, 1]) {
    const german = count <= sentences.length ? translated(sentences.slice(0, count).join(" "), 0) : undefined;
    if (german !== undefined) return { german, count };
  }
  return { german: sentences[0] ?? "", count: 1 };
}

function translated(text: string, least: number): string | undefined {
  const known = whole.get(text);
  if (known !== undefined) return known;
  for (const { pattern, german, length } of templates) {
    if (length < least) return undefined;
    const values = pattern.exec(text)?.slice(1);
    if (values) return german.replaceAll(/\{(\d)\}/gu, (_, number: string) => value(values[Number(number) - 1] ?? ""));
  }
  return undefined;
}

/** A value in a sentence: a number, a sentence or a part of one, or a name, which stays as it is. */
function value(text: string): string {
  return NUMBER.test(text) ? text.replaceAll(",", ".") : (translated(text, SURE) ?? text);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);
}

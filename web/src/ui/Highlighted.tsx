import { Fragment } from "react";
import { marked } from "./marked";

/** A text with the words of a query marked. */
export function Highlighted({ text, query }: { text: string; query: string }) {
  return marked(text, query).map(({ part, isMarked }, index) =>
    isMarked ? <mark key={index}>{part}</mark> : <Fragment key={index}>{part}</Fragment>,
  );
}

/** Search parameters, as in the page's URL and as the server expects them. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SearchRequestJson } from "@/gen/echomind/public/v1/search_service_pb";
import { AGE_NAMES } from "@/ui/ages";

type Choices<T extends string> = readonly { value: T; label: MessageDescriptor }[];
type Mode = "hybrid" | "dense" | "lexical";
type Kind = "any" | "pdf" | "office" | "text" | "web" | "mail";
/** Maximum age of a document. */
export type Age = "any" | "week" | "month" | "year";

const LIMIT = 50;

export const MODES: Choices<Mode> = [
  { value: "hybrid", label: msg`Words and meaning` },
  { value: "lexical", label: msg`Words` },
  { value: "dense", label: msg`Meaning` },
];

export const KINDS: Choices<Kind> = [
  { value: "any", label: msg`All types` },
  { value: "pdf", label: msg`PDF` },
  { value: "office", label: msg`Office files` },
  { value: "text", label: msg`Text and Markdown` },
  { value: "web", label: msg`Web pages` },
  { value: "mail", label: msg`E-mails` },
];

export const AGES: Choices<Age> = [
  { value: "any", label: msg`Added any time` },
  ...(["week", "month", "year"] as const).map((value) => ({ value, label: AGE_NAMES[value] })),
];

/** Languages to choose from, as ISO 639-1 codes. */
export const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "zh", "ja"] as const;

const CONTENT_TYPES: Readonly<Record<Kind, readonly string[]>> = {
  any: [],
  pdf: ["application/pdf"],
  office: [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
  ],
  text: ["text/plain", "text/markdown", "text/csv", "text/x-rst", "text/asciidoc", "text/org", "text/x-tex", "text/calendar", "text/vcard", "text/vtt"],
  web: ["text/html", "application/xhtml+xml"],
  mail: ["message/rfc822", "application/vnd.ms-outlook"],
};
const SEARCH_MODES = { hybrid: "SEARCH_MODE_HYBRID", dense: "SEARCH_MODE_DENSE", lexical: "SEARCH_MODE_LEXICAL" } as const;

interface Wanted {
  q: string;
  mode: Mode;
  type: Kind;
  source: string;
  since: string | undefined;
  language: string;
  notebook: string;
  folder: string;
}

/** The search request of the page's state. */
export function requestOf({ q, mode, type, source, since, language, notebook, folder }: Wanted): SearchRequestJson {
  const connector = Number(source);
  return {
    query: q,
    limit: LIMIT,
    mode: SEARCH_MODES[mode],
    ...(connector > 0 && { connectorIds: [connector] }),
    ...(type !== "any" && { contentTypes: [...CONTENT_TYPES[type]] }),
    ...(since && { createdFrom: since }),
    ...(language !== "any" && { languages: [language] }),
    ...(Number(notebook) > 0 && { notebookId: notebook }),
    ...(folder.trim() && { folder: folder.trim() }),
  };
}

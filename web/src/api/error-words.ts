/** Translations of the server's errors and warnings. The server itself writes in English. */
import { i18n } from "@lingui/core";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";

/** The texts of the other languages, once one was chosen: pages in English load none. */
let texts: typeof import("./server-texts") | undefined;

i18n.on("change", () => {
  if (i18n.locale === "en" || texts) return;
  void import("./server-texts").then((loaded) => {
    texts = loaded;
    i18n.activate(i18n.locale); // renders the visible texts again, with these
  });
});

/**
 * Returns the display text of a server's error.
 *
 * @param reason Its name in the catalogue, `error_reason.proto`, or of a run's error.
 * @param message The server's text in English, which is shown where the catalogue's reason does not say enough.
 */
export function errorWords(reason: string, message: string): string {
  return i18n.locale === "en" || !texts ? message : texts.errorText(reason, message);
}

/**
 * Returns the display text of a warning: in English the server's text, which has details; otherwise by its code, if
 * known.
 */
export function warningWords({ text = "", warning: { code, subject = "" } = {} }: Pick<SessionEventJson, "text" | "warning">): string {
  return i18n.locale === "en" || !texts ? text : texts.warningText(code, subject, text);
}

/**
 * Translates sentences of the server, such as why a document failed or what a tool does. Unknown ones are returned
 * unchanged.
 */
export function serverWords(text: string | undefined): string {
  return i18n.locale === "en" || !texts ? (text ?? "") : texts.inGerman(text ?? "");
}

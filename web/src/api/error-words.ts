/** Translations of the server's errors and warnings. The server itself writes in English. */
import { i18n } from "@lingui/core";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";

/** The texts of the other languages, once one was chosen: pages in English load none. */
let texts: typeof import("./server-texts") | undefined;

i18n.on("change", () => {
  if (i18n.locale === "en" || texts) return;
  void import("./server-texts").then((loaded) => {
    texts = loaded;
    i18n.activate(i18n.locale); // what is shown already is shown again, in it
  });
});

/**
 * The text of an error of the server for people.
 *
 * @param reason Its name in the catalogue, `error_reason.proto`, or of a run's error.
 * @param message The server's text in English, which is shown where the catalogue's reason does not say enough.
 */
export function errorWords(reason: string, message: string): string {
  return i18n.locale === "en" || !texts ? message : texts.errorText(reason, message);
}

/** A warning for people: in English the server's text, which says more; otherwise by its code, as far as it is known. */
export function warningWords({ text = "", warning: { code, subject = "" } = {} }: Pick<SessionEventJson, "text" | "warning">): string {
  return i18n.locale === "en" || !texts ? text : texts.warningText(code, subject, text);
}

/** What the server says in sentences: why a document failed, what a sync found, what a tool does. Unknown ones stay as they are. */
export function serverWords(text: string | undefined): string {
  return i18n.locale === "en" || !texts ? (text ?? "") : texts.inGerman(text ?? "");
}

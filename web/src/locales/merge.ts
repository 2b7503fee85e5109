import type { Messages } from "@lingui/core";

/** The compiled texts of one part of the pages. */
export interface Catalog {
  messages: Messages;
}

/** Returns the texts of all parts; equal texts have equal keys, so that none hides another. */
export function merge(catalogs: Readonly<Record<string, Catalog>>): Messages {
  return Object.assign({}, ...Object.values(catalogs).map((catalog) => catalog.messages)) as Messages;
}

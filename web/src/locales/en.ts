/** The English texts of all pages. */
import { merge, type Catalog } from "./merge";

export const messages = merge(import.meta.glob<Catalog>("./en/*.po", { eager: true }));

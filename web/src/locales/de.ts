/** The German texts of all pages. */
import { merge, type Catalog } from "./merge";

export const messages = merge(import.meta.glob<Catalog>("./de/*.po", { eager: true }));

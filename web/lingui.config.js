/** Where the texts of the pages are collected from and where their translations are; run by `npm run messages`. */
import { formatter } from "@lingui/format-po";

const LOCALES = "src/locales/{locale}";

export default {
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: [
    { path: `${LOCALES}/frame`, include: ["src/app", "src/ui", "src/data", "src/api"] },
    { path: `${LOCALES}/{name}`, include: ["src/features/{name}"] },
  ],
  orderBy: "message",
  // Without places in the code a catalog changes only when a text does.
  format: formatter({ origins: false, explicitIdAsDefault: false, customHeaderAttributes: { "POT-Creation-Date": "" } }),
};

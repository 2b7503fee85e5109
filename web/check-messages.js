/** Fails when a text of the pages is not in the catalogs yet, or is not used any more; it then is, or is removed. Run by `npm run lint`. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const LOCALES = "src/locales";

/** All catalogs, as one text. */
function catalogs() {
  const names = readdirSync(LOCALES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".po"));
  return names.sort().map((name) => `${name}\n${readFileSync(path.join(LOCALES, name), "utf8")}`).join("\n");
}

const before = catalogs();
execFileSync("npm", ["run", "--silent", "messages"], { stdio: ["ignore", "ignore", "inherit"] });
if (catalogs() !== before) {
  process.stderr.write("The texts of the pages have changed. Translate what is empty in src/locales/de, and commit src/locales.\n");
  process.exit(1);
}

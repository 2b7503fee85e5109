/** A plugin for Vite: stores what pdf.js loads by itself beside its worker, for files that need it. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const PACKAGE = fileURLToPath(new URL("node_modules/pdfjs-dist/", import.meta.url));
/** Tables of Chinese, Japanese and Korean characters; the fonts that every reader has; decoders; colours of print. */
const PARTS = ["cmaps", "standard_fonts", "wasm", "iccs"];

/** Copies them to a folder whose name has the version, so that browsers may keep them. */
export function pdfParts(): Plugin {
  return {
    name: "pdf-parts",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string };
      for (const part of PARTS) cpSync(join(PACKAGE, part), join(dir, "assets", `pdf-${version}`, part), { recursive: true });
    },
  };
}

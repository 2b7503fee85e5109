/** Puts the library that draws diagrams beside the page of their frame, as the one file that it comes as. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

const FILE = createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js");
const NAME = "sandbox/mermaid.js";

/** Serves `sandbox/mermaid.js` while developing, and makes it a file of the build. */
export function mermaidFile(): Plugin {
  return {
    name: "mermaid-file",
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${NAME}`, (_, response) => {
        response.setHeader("Content-Type", "text/javascript");
        response.end(readFileSync(FILE));
      });
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: NAME, source: readFileSync(FILE) });
    },
  };
}

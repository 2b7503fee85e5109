/** Emits the service worker, with the version of this build and the files that its first page loads. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const SOURCE = fileURLToPath(new URL("service-worker.js", import.meta.url));

/** Makes `sw.js` a file of the build. */
export function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    generateBundle(_, bundle) {
      const names = Object.keys(bundle).sort();
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const entries = chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName, imports }) => [fileName, ...imports]);
      const styles = chunks.filter(({ fileName }) => entries.includes(fileName)).flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
      const first = [...new Set([...entries, ...styles])];
      // Names of files contain a hash of their content, so the names are the version.
      const version = createHash("sha256").update(names.join("\n")).digest("hex").slice(0, 16);
      const source = readFileSync(SOURCE, "utf8").replace('"VERSION"', JSON.stringify(version)).replace('["FIRST"]', JSON.stringify(first));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  };
}

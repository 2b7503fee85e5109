/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { frameChunk } from "./frame-chunk.ts";
import { linguiMacros } from "./lingui-macros.ts";
import { mermaidFile } from "./mermaid-file.ts";
import { pdfParts } from "./pdf-parts.ts";
import { serviceWorker } from "./service-worker.ts";

/** Where the API listens while `npm run dev` serves the pages. */
const api = process.env["ECHOMIND_URL"] ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/auth"].map((path) => [path, { target: api, changeOrigin: false }]));

const sources = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  plugins: [linguiMacros(), lingui({ failOnMissing: true }), react(), mermaidFile(), pdfParts(), serviceWorker()],
  // The modules of temml leave out the extensions of its bundle, such as chemistry, which are as large as a third of it.
  resolve: {
    alias: [
      { find: "@", replacement: sources("").replace(/\/$/, "") },
      { find: /^temml$/, replacement: fileURLToPath(new URL("node_modules/temml/temml.js", import.meta.url)) },
    ],
  },
  server: { proxy },
  // The server fills in where it is reached, see base-path in index.html; chunks find each other by their own address.
  base: "./",
  build: {
    outDir: "dist",
    sourcemap: false,
    manifest: true,
    // The frame is one file; tests/e2e/browser/test_serving.py holds it to a budget.
    chunkSizeWarningLimit: 800,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: frameChunk(sources("main.tsx")), debugName: "frame" }] } } },
  },
  test: {
    // A document and all modules for each file take longer than its tests: the files share them, and setup puts back
    // what a test changes. Only those that render have a document.
    pool: "threads",
    isolate: false,
    projects: [
      { extends: true, test: { name: "logic", include: ["src/**/*.test.ts"], environment: "node" } },
      {
        extends: true,
        test: { name: "parts", include: ["src/**/*.test.tsx"], environment: "jsdom", setupFiles: ["src/testing/dom-setup.ts"] },
      },
    ],
    setupFiles: ["src/testing/setup.ts"],
    // Its modules name each other without extensions, which Node does not find by itself.
    server: { deps: { inline: [/temml/] } },
    // On a busy machine; what hangs ends all the same.
    testTimeout: 90_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});

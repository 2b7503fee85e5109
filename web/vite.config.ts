/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { linguiMacros } from "./lingui-macros.ts";

/** Where the API listens while `npm run dev` serves the pages. */
const api = process.env["ECHOMIND_URL"] ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/auth"].map((path) => [path, { target: api, changeOrigin: false }]));

export default defineConfig({
  plugins: [linguiMacros(), lingui({ failOnMissing: true }), react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { proxy },
  build: { outDir: "dist", sourcemap: false },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    // On a busy machine; what hangs ends all the same.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});

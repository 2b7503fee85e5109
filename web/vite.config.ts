/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where the API listens while `npm run dev` serves the pages. */
const api = process.env["ECHOMIND_URL"] ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/auth"].map((path) => [path, { target: api, changeOrigin: false }]));

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { proxy },
  build: { outDir: "dist", sourcemap: false },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    // On a busy machine; what hangs ends all the same.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});

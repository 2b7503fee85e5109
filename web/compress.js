/** Stores each file of the build in shorter encodings beside it, for the server to send: `main.js.br`, `main.js.gz`. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FOLDER = "dist";
/** What is not compressed already. */
const TEXTS = /\.(js|mjs|css|svg|json|txt|wasm)$/;
/** Below this a response is one packet anyway. */
const LEAST_BYTES = 1024;

for (const name of readdirSync(FOLDER, { recursive: true, encoding: "utf8" })) {
  if (!TEXTS.test(name)) continue;
  const path = join(FOLDER, name);
  const content = readFileSync(path);
  if (content.length < LEAST_BYTES) continue;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  for (const [suffix, short] of [
    [".br", brotliCompressSync(content, { params })],
    [".gz", gzipSync(content, { level: 9 })],
  ]) {
    if (short.length < content.length) writeFileSync(path + suffix, short);
  }
}

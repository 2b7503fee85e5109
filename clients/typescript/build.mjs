/**
 * Builds the package: compiles `src` with the contract's generated modules, which are those of the web application.
 *
 * They are copied into `build`, where they import this package's `call.ts` in place of the browser's. The compiler is the
 * web application's.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "..", "..", "web");
const build = join(here, "build");
const generated = join(build, "gen", "echomind", "public", "v1");

for (const folder of [build, join(here, "dist")]) rmSync(folder, { recursive: true, force: true });
cpSync(join(here, "src"), build, { recursive: true });
mkdirSync(join(build, "gen"), { recursive: true });
cpSync(join(web, "src", "gen", "echomind"), join(build, "gen", "echomind"), { recursive: true });
// The compiler looks for the dependencies here.
symlinkSync(join(web, "node_modules"), join(build, "node_modules"), "dir");

const files = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const exports = [];
for (const name of files.sort()) {
  const path = join(generated, name);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace('from "@/api/call"', `from "${relative(dirname(path), join(build, "call.js"))}"`));
  const from = `./gen/echomind/public/v1/${name.replace(/\.ts$/, ".js")}`;
  exports.push(name.endsWith("_client.ts") ? `export * from "${from}";` : `export type * from "${from}";`);
}
writeFileSync(join(build, "index.ts"), `${readFileSync(join(here, "src", "index.ts"), "utf8")}${exports.join("\n")}\n`);

const compiler = join(web, "node_modules", "typescript", "bin", "tsc");
const options = ["--target", "ES2023", "--lib", "ES2023,DOM,DOM.Iterable", "--module", "NodeNext", "--strict", "--declaration"];
execFileSync(process.execPath, [compiler, ...options, "--skipLibCheck", "--rootDir", build, "--outDir", join(here, "dist"), join(build, "index.ts")], {
  stdio: "inherit",
});
rmSync(build, { recursive: true });

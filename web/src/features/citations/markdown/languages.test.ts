import { expect, it } from "vitest";
import { languageOf, loadGrammar } from "./languages";

it.each([["py", "python"], ["TypeScript", "typescript"], ["c++", "cpp"], ["html", "xml"], ["yml", "yaml"], ["sh", "bash"]])("knows %s as %s", (info, name) => {
  expect(languageOf(info)).toBe(name);
});

it.each(["", "cobol", "constructor", "toString"])("leaves %j plain", (info) => {
  expect(languageOf(info)).toBeUndefined();
});

it("loads the grammar of each language", async () => {
  for (const info of ["bash", "c", "cpp", "cs", "css", "diff", "go", "java", "js", "json", "py", "rust", "sql", "ts", "xml", "yaml"]) {
    expect(await loadGrammar(languageOf(info) ?? "")).toBeTypeOf("function");
  }
});

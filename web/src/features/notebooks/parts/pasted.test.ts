import { expect, test } from "vitest";
import { addressesIn, fileOf, folderOf } from "./pasted";

test("only a text of nothing but addresses is addresses", () => {
  expect(addressesIn("https://a.example/x?y=1\r\n\nhttp://b.example\nhttp://b.example")).toEqual(["https://a.example/x?y=1", "http://b.example"]);
  expect(addressesIn("# from a list\nhttps://a.example/")).toEqual(["https://a.example/"]);
  for (const text of ["See https://a.example", "https://a.example and more", "ftp://a.example", "javascript:alert(1)", "https://", ""]) {
    expect(addressesIn(text), text).toEqual([]);
  }
});

test("a text becomes a file named by its title or its first words", async () => {
  const named = fileOf("Trains only.", "Travel: rules/2026");
  expect([named.path, await named.file.text()]).toEqual(["Travel rules 2026.md", "# Travel: rules/2026\n\nTrains only."]);
  expect(fileOf("## Trains only.\nMore", "").path).toBe("Trains only.md");
  expect(fileOf("...", " ").path).toBe("text.md");
  expect(fileOf("x".repeat(300), "").path).toHaveLength(83);
});

test("the folder of a notebook is a name in a path", () => {
  expect(folderOf("../a\\b")).toBe("a b");
  expect(folderOf("///")).toBe("notebook");
});

import { expect, test } from "vitest";
import { hasFileLinks, linkedFile } from "./files";

test.each([
  ["quotas.md", "audit-log.md#seal", "audit-log.md"],
  ["quotas.md", "../settings.md", "settings.md"],
  ["a b/über.md", "../c%20d/e.md", "c d/e.md"],
  ["a/b.md", "./c.md?x=1", "a/c.md"],
  ["a/b.md", "https://example.org/c.md", ""],
  ["a/b.md", "javascript:alert(1)", ""],
  ["a/b.md", "/admin", ""],
  ["a/b.md", "//example.org/c.md", ""],
  ["a/b.md", "#here", ""],
  ["a/b.md", "%E0%A4%A.md", ""],
  ["a/b.md", "", ""],
])("%s with %s", (from, link, expected) => {
  expect(linkedFile(from, link)).toBe(expected);
});

test("texts without links to files need no list of them", () => {
  expect(hasFileLinks("See [the limits](quotas.md#limits).")).toBe(true);
  expect(hasFileLinks("See [it](https://example.org) [there](#here) [mail](mailto:a@example.org).")).toBe(false);
});

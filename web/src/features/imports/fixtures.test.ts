import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { addressesIn, ownerOf } from "./owners";
import { tableConversations } from "./tables";

interface Expected {
  files: Record<string, unknown[]>;
  owners: { conversation: unknown; name: string; email: string }[];
}

const FILES = path.join(import.meta.dirname, "../../../../tests/fixtures/exports");
const read = (name: string) => readFileSync(path.join(FILES, name), "utf8");
const expected = JSON.parse(read("expected.json")) as Expected;

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const);
  return Object.fromEntries(given.filter(([, each]) => each === false || Boolean(each)));
}

test.each(Object.keys(expected.files))("conversations of %s are those of the command line", (name) => {
  expect(tableConversations(name, read(name))?.map(withoutEmpty)).toEqual(expected.files[name]);
});

test("owners are those of the command line", () => {
  const addresses = addressesIn("people.csv", read("people.csv"));
  for (const { conversation, name, email } of expected.owners) expect(ownerOf(JSON.stringify(conversation), addresses), name).toEqual({ name, email });
});

import { expect, test } from "vitest";
import { pairsOf, textOf } from "./pairs";

test("pairs are lines, and the last equals sign separates", () => {
  const pairs = { staff: "research", "cn=admins,dc=example": "superadmin" };
  expect(pairsOf(textOf(pairs))).toEqual(pairs);
  expect(pairsOf("\n a = b \n\nno value")).toEqual({ a: "b", "no value": "" });
  expect(textOf()).toBe("");
});

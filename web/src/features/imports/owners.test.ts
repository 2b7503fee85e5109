import { expect, test } from "vitest";
import { addressesIn, ownerOf } from "./owners";

const NAMED = "id,username,email\nu1,Ada,ada@example.org\nU2,bob,bob@example.org\nu5,u1,mallory@example.org\n";
const emailOf = (conversation: unknown) => ownerOf(JSON.stringify(conversation), addressesIn("people.csv", NAMED)).email;

test("ids are told apart from the names that people choose, and a stated address wins", () => {
  expect(emailOf({ user_id: "u1" })).toBe("ada@example.org");
  expect(emailOf({ user: "u2" })).toBe("bob@example.org");
  expect(emailOf({ user_id: "u1", metadata: { username: "u1" } })).toBe("ada@example.org");
  expect(emailOf({ metadata: { username: "u1" } })).toBe("mallory@example.org");
  expect(emailOf({ user_id: "bob" })).toBe("");
  expect(emailOf({ metadata: { username: "bob" } })).toBe("bob@example.org");
  expect(emailOf({ user_id: "u1", email: "eve@example.org" })).toBe("eve@example.org");
});

test("a file with one name for two people is refused", () => {
  const lines = (...rows: string[]) => addressesIn("people.csv", ["id,username,email", ...rows].join("\n"));
  expect(() => lines("u1,ada,ada@example.org", "U1,eve,mallory@example.org")).toThrow("people.csv has U1 for two people");
  expect(() => lines("u1,ada,ada@example.org", "u2,Ada,mallory@example.org")).toThrow("people.csv has Ada for two people");
  expect(lines("u1,ada,ada@example.org", "u1,ada,Ada@example.org").byId.size).toBe(1);
});

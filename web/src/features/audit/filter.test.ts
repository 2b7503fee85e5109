import { expect, test } from "vitest";
import { createdFrom } from "@/ui/ages";
import { filterOf } from "./filter";

const ALL = { action: "", user: "", outcome: "all", about: "" } as const;

test.each([
  ["203.0.113.7", { address: "203.0.113.7" }],
  ["2001:db8::1", { address: "2001:db8::1" }],
  ["api-keys/12", { credential: "api-keys/12" }],
  ["users/12", { target: "users/12" }],
  [" users ", { target: "users" }],
  ["", {}],
])("what is typed is an address, a credential or a target: %s", (about, filter) => {
  expect(filterOf({ ...ALL, about }, undefined)).toEqual(filter);
});

test("the other filters are passed on", () => {
  expect(filterOf({ action: "Sign-in", user: "7", outcome: "denied", about: "" }, "2026-01-01T00:00:00.000Z")).toEqual({
    action: "Sign-in",
    actorId: 7,
    denied: true,
    fromTime: "2026-01-01T00:00:00.000Z",
  });
  expect(filterOf({ ...ALL, outcome: "done" }, undefined)).toEqual({ denied: false });
});

test("an age is a time", () => {
  const now = new Date("2026-01-08T00:00:00Z");
  expect(createdFrom("week", now)).toBe("2026-01-01T00:00:00.000Z");
  expect(createdFrom("any", now)).toBeUndefined();
});

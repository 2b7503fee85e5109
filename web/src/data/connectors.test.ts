// @vitest-environment jsdom
import { expect, test } from "vitest";
import { audiencesOf } from "./audiences";
import { mayManage } from "./connectors";

const user = { id: 1, roles: ["ROLE_USER" as const], groups: ["sales"] };
const admin = { ...user, roles: ["ROLE_USER" as const, "ROLE_ADMIN" as const] };
const superadmin = { ...user, roles: ["ROLE_SUPERADMIN" as const] };

test("everyone uploads for themselves, admins for their groups, superadmins for all", () => {
  const values = [user, admin, superadmin].map((person) => audiencesOf(person).map(({ value }) => value));
  expect(values).toEqual([["user"], ["user", "group:sales"], ["user", "group:sales", "org"]]);
});

test("superadmins share with groups that they are not in", () => {
  const groups = [{ name: "sales" }, { name: "law" }];
  const values = [admin, superadmin].map((person) => audiencesOf(person, groups).map(({ value }) => value));
  expect(values).toEqual([
    ["user", "group:sales"],
    ["user", "group:sales", "group:law", "org"],
  ]);
});

test.each([
  { scope: "SCOPE_USER" as const, userId: 1, allowed: [true, true, true] },
  { scope: "SCOPE_USER" as const, userId: 2, allowed: [false, false, true] },
  { scope: "SCOPE_GROUP" as const, scopeId: "sales", allowed: [false, true, true] },
  { scope: "SCOPE_GROUP" as const, scopeId: "law", allowed: [false, false, true] },
  { scope: "SCOPE_ORG" as const, userId: 1, allowed: [false, false, true] },
])("who may change documents of $scope $scopeId $userId", ({ allowed, ...connector }) => {
  expect([user, admin, superadmin].map((person) => mayManage(person, connector))).toEqual(allowed);
});

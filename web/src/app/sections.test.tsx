import { expect, it } from "vitest";
import { isIn, sectionsOf } from "./sections";

const hrefs = (sections: readonly { href: string }[]) => sections.map(({ href }) => href);

it("shows a person who asks three places and the inbox, and who builds one group more", () => {
  const asks = sectionsOf({ roles: ["ROLE_USER"] });
  expect(hrefs(asks.daily)).toEqual(["/", "/notebooks", "/documents", "/inbox"]);
  expect(hrefs(asks.atTheEnd)).toEqual(["/settings"]);
  expect(hrefs(sectionsOf({ roles: ["ROLE_SUPERADMIN"] }).atTheEnd)).toEqual(["/assistants", "/admin", "/settings"]);
});

it("keeps open to everyone what only some have in the navigation", () => {
  expect(hrefs(sectionsOf({ roles: ["ROLE_USER"] }).all)).toContain("/assistants");
  expect(hrefs(sectionsOf({ roles: ["ROLE_USER"] }).all)).not.toContain("/admin");
});

it("knows the section of each of its pages", () => {
  const library = sectionsOf({ roles: ["ROLE_USER"] }).daily.find(({ href }) => href === "/documents");
  expect(library && ["/documents", "/documents/7", "/sources/new", "/search", "/documentsX", "/"].map((path) => isIn(library, path))).toEqual([true, true, true, true, false, false]);
});

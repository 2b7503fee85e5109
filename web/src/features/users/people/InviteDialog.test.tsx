import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { InviteDialog } from "./InviteDialog";
import { highestRole, roleLabel } from "./roles";
import { userOf } from "./UserFields";

const USER = { id: 7, userName: "ada", email: "ada@example.org" };

beforeEach(() => {
  // jsdom has no dialogs.
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
});
afterEach(cleanup);

test("when the link fails, the second try makes the link and no second account", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, { method = "GET", body }: { method?: string; body?: string }) => {
    asked.push(`${method} ${url} ${body ?? ""}`.trim());
    if (url.endsWith("/users")) return Promise.resolve(Response.json(method === "POST" ? USER : { users: [] }));
    const isFirst = asked.filter((one) => one.includes("/links")).length === 1;
    if (isFirst) return Promise.resolve(Response.json({ error: { code: "UNAVAILABLE", message: "Not now." } }, { status: 503 }));
    return Promise.resolve(Response.json({ path: "/auth/link?token=t", expiresAt: "2030-01-01T00:00:00Z" }));
  });
  renderInApp(<InviteDialog onClose={vi.fn()} />);
  await userEvent.type(screen.getByLabelText("User name"), "ada");
  await userEvent.type(screen.getByLabelText("Email"), "ada@example.org");
  await userEvent.click(screen.getByRole("button", { name: "Create link" }));
  expect(await screen.findByText("Not now.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Create link" }));
  expect((await screen.findByLabelText<HTMLInputElement>("Link")).value).toBe(`${location.origin}/auth/link?token=t`);
  const writes = asked.filter((one) => one.startsWith("POST")).map((one) => one.split(" ")[1]);
  expect(writes).toEqual(["/api/v1/users", "/api/v1/auth/links", "/api/v1/auth/links"]);
});

test("groups are names between commas, each once", () => {
  const values = { userName: " ada ", email: "a@b", firstName: "", lastName: "", role: "ROLE_ADMIN" as const };
  expect(userOf({ ...values, groups: " sales,, math ,sales" })).toMatchObject({
    userName: "ada",
    roles: ["ROLE_ADMIN"],
    groups: ["sales", "math"],
  });
  expect(userOf({ ...values, groups: "" }).groups).toEqual([]);
});

test("a person is called by the highest role", () => {
  expect(roleLabel({ roles: ["ROLE_USER", "ROLE_SUPERADMIN"] })).toBe("Superadmin");
  expect(highestRole({})).toBe("ROLE_USER");
});

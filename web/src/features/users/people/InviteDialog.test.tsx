import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { InviteDialog } from "./InviteDialog";
import { highestRole, roleLabel } from "../roles";
import { userOf } from "./UserFields";

test("an invitation takes role, groups and time, and its link is shown once it is made", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, { method = "GET", body }: { method?: string; body?: string }) => {
    if (method === "GET") return Promise.resolve(Response.json({ groups: [{ id: 1, name: "sales" }] }));
    sent.push([url, JSON.parse(body ?? "{}")]);
    return Promise.resolve(Response.json({ path: "/join/t", invitation: { id: 1, expiresAt: "2030-01-01T00:00:00Z" } }));
  });
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <InviteDialog onClose={vi.fn()} />
      </QueryClientProvider>
    </I18nProvider>,
  );
  await userEvent.type(screen.getByLabelText("E-mail address (optional)"), "ada@example.org");
  await userEvent.selectOptions(screen.getByLabelText("Role"), "Admin");
  await userEvent.type(screen.getByLabelText("Groups (optional)"), "sales, math");
  await userEvent.selectOptions(screen.getByLabelText("Link works for"), "30 days");
  const before = Date.now();
  await userEvent.click(screen.getByRole("button", { name: "Create link" }));
  expect((await screen.findByLabelText<HTMLInputElement>("Link")).value).toBe(`${location.origin}/join/t`);
  expect(screen.getByRole("note").textContent).toContain("Only this machine can open this link");
  const [[url, { expiresAt, ...invitation }]] = sent as [[string, { expiresAt: string }]];
  expect([url, invitation]).toEqual(["/api/v1/invitations", { email: "ada@example.org", roles: ["ROLE_ADMIN"], groups: ["sales", "math"] }]);
  expect(Math.round((Date.parse(expiresAt) - before) / 86_400_000)).toBe(30);
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
  expect(i18n._(roleLabel({ roles: ["ROLE_USER", "ROLE_SUPERADMIN"] }))).toBe("Superadmin");
  expect(highestRole({})).toBe("ROLE_USER");
});

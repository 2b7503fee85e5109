import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Toasts } from "@/ui/toasts";
import { ConnectedAccounts } from "./ConnectedAccounts";

const ACCOUNT = { id: 7, connectorName: "Contracts", provider: "Google", account: "kim@example.org", scope: "SCOPE_GROUP", scopeId: "finance" };

test.each([
  [{ isRevoked: true, accessUrl: "https://google.example" }, "kim@example.org is disconnected, and Google has ended EchoMind's access to it."],
  [{ accessUrl: "https://google.example" }, "kim@example.org is disconnected. You see and end EchoMind's access to it at https://google.example."],
])("a sign-in is taken back, and what the provider did is said: %o", async (answer, message) => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
    if (init?.method === "POST") asked.push(url);
    return Promise.resolve(Response.json(init?.method === "POST" ? answer : { accounts: asked.length > 0 ? [] : [ACCOUNT] }));
  });
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <ConnectedAccounts />
        <Toasts />
      </QueryClientProvider>
    </I18nProvider>,
  );
  expect((await screen.findByRole("list", { name: "Connected accounts" })).textContent).toContain("Google: kim@example.orgContractsGroup finance");
  await userEvent.click(screen.getByRole("button", { name: "Disconnect Contracts" }));
  await userEvent.click(await screen.findByRole("button", { name: "Disconnect" }));
  expect(await screen.findByText(message)).toBeTruthy();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/connected-accounts\/7:disconnect$/);
  await vi.waitFor(() => expect(screen.queryByRole("list", { name: "Connected accounts" })).toBeNull());
});

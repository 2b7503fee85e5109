import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ProviderConnections } from "./ProviderConnections";

const CONNECTIONS = [
  { name: "company", title: "Example account", isConnected: false },
  { name: "other", title: "Other account", isConnected: true },
];

function show(connections: unknown[], answer?: Response) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
    if (init?.method !== "POST") return Promise.resolve(Response.json({ connections }));
    asked.push(url);
    return Promise.resolve(answer);
  });
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <ProviderConnections />
      </QueryClientProvider>
    </I18nProvider>,
  );
  return asked;
}

test("a provider that does not open the account yet is connected there", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { href: window.location.href, origin: window.location.origin, assign });
  const asked = show(CONNECTIONS, Response.json({ url: "https://id.example/authorize" }));
  expect((await screen.findByRole("list", { name: "Single sign-on" })).textContent).toContain("Other accountConnected");
  expect(screen.queryByRole("button", { name: "Connect Other account" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Connect Example account" }));
  await vi.waitFor(() => expect(assign).toHaveBeenCalledWith("https://id.example/authorize"));
  expect(asked[0]).toMatch(/auth\/oidc\/company\/connection$/);
});

test("a sign-in that is too old says so", async () => {
  const error = { code: "PERMISSION_DENIED", reason: "PERMISSION_DENIED", message: "Connecting your account takes a sign-in" };
  show(CONNECTIONS, Response.json({ error }, { status: 403 }));
  await userEvent.click(await screen.findByRole("button", { name: "Connect Example account" }));
  expect(await screen.findByText(/takes a sign-in/)).toBeTruthy();
});

import { QueryClient } from "@tanstack/react-query";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { signInOptionsQuery } from "@/data/auth";
import { renderInApp } from "@/testing/render";
import { SignInPage } from "./SignInPage";

afterEach(() => {
  cleanup();
  history.replaceState(null, "", "/");
});

test("each provider has a link that returns to the page that was opened", () => {
  history.replaceState(null, "", "/documents?q=a&b=%2F");
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const providers = [
    { name: "main", title: "Example account" },
    { name: "partner", title: "Partner GmbH" },
  ];
  client.setQueryData(signInOptionsQuery.queryKey, { mode: "local", password: true, providers });
  renderInApp(<SignInPage />, client);
  const targets = screen.getAllByRole("link").map((link) => new URL((link as HTMLAnchorElement).href));
  expect(targets.map((url) => url.pathname)).toEqual(["/auth/oidc/main", "/auth/oidc/partner"]);
  expect(targets.map((url) => url.searchParams.get("path"))).toEqual(["/documents?q=a&b=%2F", "/documents?q=a&b=%2F"]);
  expect(screen.getByText("Sign in with Partner GmbH")).toBeTruthy();
  expect(screen.getByLabelText("Password")).toBeTruthy();
});

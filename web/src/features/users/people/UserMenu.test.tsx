import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Suspense } from "react";
import { expect, test, vi } from "vitest";
import { Toasts } from "@/ui/toasts";
import { UserMenu } from "./UserMenu";

test.each([
  ["ERASURE_STATE_COMPLETED", false],
  ["ERASURE_STATE_RUNNING", true],
  ["ERASURE_STATE_WAITING", true],
])("a deletion in the state %s is said to continue: %s", async (state, isSaid) => {
  // Messages of the cases before stay.
  const name = `ann-${state}`;
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(Response.json(url.endsWith(":erase") ? { id: 3, state, statusMessage: "A legal hold is on it." } : { id: 1, userName: "boss" })),
  );
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <Suspense>
          <UserMenu user={{ id: 8, userName: name, isActive: true }} />
        </Suspense>
        <Toasts />
      </QueryClientProvider>
    </I18nProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Delete permanently" }));
  await userEvent.type(await screen.findByLabelText(`Type “${name}” to confirm`), name);
  await userEvent.click(screen.getByRole("button", { name: "Delete permanently" }));
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const said = `${name} is deactivated, and not deleted yet. Administration, Privacy says how far it is. A legal hold is on it.`;
  expect(screen.queryByText(said) !== null).toBe(isSaid);
});

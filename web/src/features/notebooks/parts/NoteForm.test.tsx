import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { NoteForm } from "./NoteForm";

const READ = { id: "5", title: "Lamps", content: "At six.", isEditable: true, creationDate: "2026-01-01T08:00:00Z" };
const CHANGED = { ...READ, content: "At nine.", updatedBy: 2, updatedByName: "Ann", lastUpdate: "2026-01-02T08:00:00.123456Z" };

test("a note that somebody has changed meanwhile is shown, and the person's words stay", async () => {
  const expected: (string | null)[] = [];
  vi.stubGlobal("fetch", (path: string, init?: RequestInit) => {
    const url = new URL(path, "http://localhost");
    if (init?.method !== "PATCH") return Promise.resolve(Response.json(CHANGED));
    expected.push(url.searchParams.get("expectedLastUpdate"));
    if (expected.length > 1) return Promise.resolve(Response.json(CHANGED));
    const error = { code: "FAILED_PRECONDITION", reason: "CHANGED_SINCE_READ", message: "Somebody has changed this note since you read it." };
    return Promise.resolve(Response.json({ error }, { status: 409 }));
  });
  const close = vi.fn();
  render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <NoteForm notebookId="3" note={READ} onClose={close} />
      </QueryClientProvider>
    </I18nProvider>,
  );
  const text = screen.getByLabelText(/^Text, in Markdown/);
  await userEvent.clear(text);
  await userEvent.type(text, "At ten.");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Somebody has changed this note since you read it.")).toBeTruthy();
  expect((await screen.findByLabelText("The note as it is now")).textContent).toContain("At nine.");
  expect((text as HTMLTextAreaElement).value).toBe("At ten.");
  expect(close).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
  expect(expected).toEqual([READ.creationDate, CHANGED.lastUpdate]);
});

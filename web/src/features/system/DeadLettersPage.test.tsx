import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { DeadLettersPage } from "./DeadLettersPage";

let letters: { id: string; kind: string }[] = [];

beforeEach(() => {
  letters = ["1", "2"].map((id) => ({ id, kind: "memories.extract" })).concat({ id: "3", kind: "connector.sync" });
  history.replaceState(null, "", "/admin/dead-letters");
  vi.stubGlobal("fetch", (input: string) => {
    const url = new URL(input, location.origin);
    const called = /dead-letters\/(\d+):/.exec(decodeURIComponent(url.pathname));
    if (called) letters = letters.filter(({ id }) => id !== called[1]);
    const kind = url.searchParams.get("kind");
    return Promise.resolve(Response.json(called ? {} : { deadLetters: letters.filter((letter) => !kind || letter.kind === kind) }));
  });
});

test.each(["Put all back", "Discard all"])("%s is about the shown kind alone", async (action) => {
  renderInApp(<DeadLettersPage />);
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "memories.extract");
  await userEvent.click(await screen.findByRole("button", { name: action }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("Only jobs of the kind “Learn memories from a conversation”.");
  await userEvent.click([...dialog.querySelectorAll("button")].find((button) => button.textContent === action) as HTMLElement);
  expect(await screen.findByText("No background job of this kind has failed permanently.")).toBeTruthy();
  expect(letters.map(({ id }) => id)).toEqual(["3"]);
});

test("without dead letters there is nothing to put back", async () => {
  letters = [];
  renderInApp(<DeadLettersPage />);
  expect(await screen.findByText("No background job has failed permanently.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Put all back" })).toBeNull();
});

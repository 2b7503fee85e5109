import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { SearchPage } from "./SearchPage";

let hits: object[] = [];
const some = (count: number, isWeak: boolean) =>
  Array.from({ length: count }, (_, index) => ({ chunkId: `${String(isWeak)}-${index}`, documentId: "7", title: `Text ${index}`, snippet: "Words.", score: 0.5, isWeak }));

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener: () => undefined, removeEventListener: () => undefined }));
  vi.stubGlobal("fetch", (url: string) => Promise.resolve(Response.json(new URL(url, location.origin).pathname.includes("search") ? { hits } : {})));
  history.replaceState(null, "", "/search?q=leave&type=pdf");
});

const shown = () => screen.getByRole("list", { name: "Results" }).children.length;

test("passages that match less are shown on request", async () => {
  hits = [...some(2, false), ...some(3, true)];
  renderInApp(<SearchPage />);
  const more = await screen.findByRole("button", { name: "Show 3 passages that match less" });
  expect(shown()).toBe(2);
  await userEvent.click(more);
  expect(shown()).toBe(5);
});

test("where none matches closely, the closest five are shown at first", async () => {
  hits = some(9, true);
  renderInApp(<SearchPage />);
  expect(await screen.findByRole("button", { name: "Show 4 passages that match less" })).toBeTruthy();
  expect(shown()).toBe(5);
});

test("filters fold on a narrow screen and say when they are in use", async () => {
  hits = some(1, false);
  renderInApp(<SearchPage />);
  expect((await screen.findByText("Filters (in use)")).closest("details")?.open).toBe(false);
});

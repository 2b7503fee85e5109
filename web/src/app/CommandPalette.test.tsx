import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { currentUserQuery } from "@/data/users";
import { renderInApp } from "@/testing/render";
import { CommandPalette } from "./CommandPalette";

/** The answers to searches for conversations that are held back, by their queries. */
let held: Map<string, () => void>;

beforeEach(() => {
  held = new Map();
  vi.stubGlobal("fetch", (address: string) => {
    const { pathname, searchParams } = new URL(address, "http://echomind.test");
    const query = searchParams.get("query") ?? "";
    if (!pathname.endsWith(":search")) return Promise.resolve(Response.json({}));
    const title = `About ${query}`;
    const answer = Response.json({ hits: [{ chatSession: { id: query.length, title } }] });
    return new Promise((resolve) => held.set(query, () => resolve(answer)));
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(currentUserQuery.queryKey, () => ({ id: 1 }));
  renderInApp(<CommandPalette sections={[]} onShowShortcuts={vi.fn()} onClose={vi.fn()} />, client);
});

const box = () => screen.getByRole("combobox");
const options = () => screen.getAllByRole("option").map(({ textContent }) => textContent);

/** Answers the search for a query once it has begun. */
async function answer(query: string) {
  await vi.waitFor(() => expect(held.has(query)).toBe(true));
  held.get(query)?.();
}

test("Enter at once after the last letter opens nothing of an earlier query", async () => {
  await userEvent.type(box(), "ship");
  await answer("ship");
  expect(await screen.findByText("About ship")).toBeTruthy();
  await userEvent.type(box(), "ment");
  expect(options()).toEqual(["Search documents for “shipment”"]);
  await userEvent.keyboard("{Enter}");
  expect(location.pathname + location.search).toBe("/search?q=shipment");
});

test("an earlier query's answer that comes late is not shown", async () => {
  await userEvent.type(box(), "ship");
  await vi.waitFor(() => expect(held.has("ship")).toBe(true));
  await userEvent.type(box(), "ment");
  await answer("shipment");
  expect(await screen.findByText("About shipment")).toBeTruthy();
  await answer("ship");
  expect(options()).toEqual(["About shipment", "Search documents for “shipment”"]);
});

test("what is chosen stays chosen when results come before it", async () => {
  await userEvent.type(box(), "ship");
  await userEvent.keyboard("{ArrowDown}");
  await answer("ship");
  expect(await screen.findByText("About ship")).toBeTruthy();
  expect(screen.getByRole("option", { selected: true }).textContent).toBe("Search documents for “ship”");
  await userEvent.keyboard("{Enter}");
  expect(location.pathname).toBe("/search");
});

import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { ServersTab } from "./ServersTab";
import { assistantOfValues, valuesOf } from "./values";

const TOOLS = [
  { name: "shop__order", description: "Orders.", mcpServer: "shop", sideEffect: true },
  { name: "shop__look", description: "Looks.", mcpServer: "shop" },
];
const STORED = { id: 3, name: "Shop", config: { mcpServers: [{ name: "shop", url: "https://shop.example/mcp" }] } };

beforeEach(() => {
  vi.stubGlobal("fetch", (url: string) => Promise.resolve(Response.json(new URL(url, location.origin).pathname.includes("tools") ? { tools: TOOLS } : { id: 9 })));
});

function Editor({ stored }: { stored: readonly string[] }) {
  const [values, setValues] = useState(valuesOf(STORED));
  const [known, setKnown] = useState([...stored]);
  const set = (changed: Partial<typeof values>) => setValues({ ...values, ...changed });
  return <ServersTab id={3} values={values} set={set} assistant={assistantOfValues(values, STORED)} known={known} setKnown={setKnown} />;
}

const isTicked = async () => (await screen.findAllByRole<HTMLInputElement>("checkbox", { name: "Needs approval" })).map(({ checked }) => checked);

test("a tool of a new server that changes something needs approval at first, and what was unticked stays so", async () => {
  renderInApp(<Editor stored={[]} />);
  await userEvent.click(screen.getByRole("button", { name: "Test connections" }));
  await screen.findByText("It answers: 2 tools are allowed.");
  expect(await isTicked()).toEqual([true, false]);
  await userEvent.click(screen.getAllByRole("checkbox", { name: "Needs approval" })[0] as HTMLElement);
  await userEvent.click(screen.getByRole("button", { name: "Test connections" }));
  await screen.findByText("It answers: 2 tools are allowed.");
  expect(await isTicked()).toEqual([false, false]);
});

test("what was decided about a stored server is left alone", async () => {
  renderInApp(<Editor stored={["shop"]} />);
  await userEvent.click(screen.getByRole("button", { name: "Test connections" }));
  await screen.findByText("It answers: 2 tools are allowed.");
  expect(await isTicked()).toEqual([false, false]);
});

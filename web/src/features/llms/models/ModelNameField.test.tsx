import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { ModelNameField } from "./ModelNameField";

const field = (canAsk: boolean) => (
  <ModelNameField provider="LLM_PROVIDER_OLLAMA" endpoint="http://127.0.0.1:11434" apiKey="" canAsk={canAsk} value="" onChange={() => undefined} />
);

test("offers the names that the server lists, which is asked once", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: RequestInit) => {
    asked.push(JSON.parse(body as string));
    return Promise.resolve(Response.json({ modelIds: ["qwen3", "gemma3"] }));
  });
  renderInApp(field(true));
  await userEvent.click(screen.getByLabelText("Model"));
  expect(await screen.findByText("The server offers 2 models. Choose one, or enter a name.")).toBeTruthy();
  await userEvent.tab();
  await userEvent.click(screen.getByLabelText("Model"));
  expect(asked).toHaveLength(1);
  expect([...document.querySelectorAll("option")].map(({ value }) => value)).toEqual(["qwen3", "gemma3"]);
});

test("asks for the name where the server lists none", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({})));
  renderInApp(field(true));
  await userEvent.click(screen.getByLabelText("Model"));
  expect(await screen.findByText("The server did not list its models. Enter the name by hand.")).toBeTruthy();
});

test("asks nothing while too little is known", async () => {
  const fetch = vi.fn();
  vi.stubGlobal("fetch", fetch);
  renderInApp(field(false));
  await userEvent.click(screen.getByLabelText("Model"));
  expect(fetch).not.toHaveBeenCalled();
});

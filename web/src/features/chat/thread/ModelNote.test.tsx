import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { useModels } from "./ModelNote";

const LLMS = [
  { id: 1, name: "Built-in", provider: "LLM_PROVIDER_EXTRACTIVE", isDefault: true, isActive: true },
  { id: 2, name: "Chat", provider: "LLM_PROVIDER_OPENAI", isActive: true },
];

function Current({ isLoaded }: { isLoaded: boolean }) {
  const { current, isExtractive, nameOf } = useModels(7, 0, isLoaded);
  return <p>{`${nameOf(2)}: ${isExtractive(current) ? "quotes" : `model ${current}`}`}</p>;
}

function serve() {
  let answer: (assistants: Response) => void = () => undefined;
  const assistants = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  vi.stubGlobal("fetch", (url: string) => {
    if (url.startsWith("/api/v1/assistants")) return assistants;
    return Promise.resolve(Response.json(url.startsWith("/api/v1/llms") ? { llms: LLMS } : { id: 1 }));
  });
  return () => answer(Response.json({ assistants: [{ id: 7, name: "Clerk", llmId: 2 }] }));
}

test("the default model is not taken for an assistant's that is being loaded", async () => {
  const load = serve();
  renderInApp(<Current isLoaded />);
  expect(await screen.findByText("Chat: model 0")).toBeTruthy();
  load();
  expect(await screen.findByText("Chat: model 2")).toBeTruthy();
});

test("nor for that of a conversation that is being loaded", async () => {
  serve()();
  renderInApp(<Current isLoaded={false} />);
  expect(await screen.findByText("Chat: model 0")).toBeTruthy();
});

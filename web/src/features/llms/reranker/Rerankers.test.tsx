import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { Rerankers } from "./Rerankers";

const calls: { method: string; path: string; body: unknown }[] = [];
let rerankers: Record<string, unknown>[] = [];

beforeEach(() => {
  calls.length = 0;
  rerankers = [
    { id: 1, name: "First", modelId: "m-1", endpoint: "http://gpu:1", protocol: "RERANK_PROTOCOL_TEI", candidates: 30, timeoutMs: 1500, isActive: true },
    { id: 2, name: "Second", modelId: "m-2", endpoint: "http://gpu:2", protocol: "RERANK_PROTOCOL_VLLM", candidates: 20, timeoutMs: 800, hasApiKey: true },
  ];
  vi.stubGlobal("fetch", (url: string, options: RequestInit = {}) => {
    const path = new URL(url, location.origin).pathname;
    const body: unknown = typeof options.body === "string" ? JSON.parse(options.body) : undefined;
    const { method = "GET" } = options;
    if (method !== "GET") calls.push({ method, path, body });
    if (path.endsWith(":test")) return Promise.resolve(Response.json({ ok: false, message: "vllm at gpu:2 cannot be reached" }));
    return Promise.resolve(Response.json(method === "GET" ? { rerankers } : {}));
  });
});

test("the active one is ended, another one is activated", async () => {
  renderInApp(<Rerankers />);
  await userEvent.click(await screen.findByRole("button", { name: "Activate" }));
  expect(calls.at(-1)).toMatchObject({ method: "PATCH", path: "/api/v1/rerankers/2", body: { isActive: true } });
  await userEvent.click(screen.getByRole("button", { name: "Deactivate" }));
  expect(calls.at(-1)).toMatchObject({ method: "PATCH", path: "/api/v1/rerankers/1", body: { isActive: false } });
});

test("one is added with its limits", async () => {
  rerankers = [];
  renderInApp(<Rerankers />);
  await userEvent.click(await screen.findByRole("button", { name: "Add a reranker" }));
  await userEvent.selectOptions(screen.getByLabelText("Protocol"), "RERANK_PROTOCOL_COHERE");
  await userEvent.type(screen.getByLabelText("Endpoint URL"), "https://api.cohere.com");
  await userEvent.type(screen.getByLabelText("Model name at the server"), "rerank-v3.5");
  await userEvent.clear(screen.getByLabelText("Passages that it compares"));
  await userEvent.type(screen.getByLabelText("Passages that it compares"), "50");
  await userEvent.click(screen.getByRole("button", { name: "Add" }));
  const added = { protocol: "RERANK_PROTOCOL_COHERE", endpoint: "https://api.cohere.com", modelId: "rerank-v3.5", name: "rerank-v3.5", candidates: 50, timeoutMs: 1500 };
  expect(calls.at(-1)).toMatchObject({ method: "POST", path: "/api/v1/rerankers", body: added });
});

test("one is tested, changed and removed; its key stays unless another is given", async () => {
  renderInApp(<Rerankers />);
  const choose = async (item: string) => {
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Second" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: item }));
  };
  await choose("Test");
  expect(await screen.findByText("vllm at gpu:2 cannot be reached")).toBeDefined();
  await choose("Edit");
  await userEvent.type(screen.getByLabelText("Endpoint URL"), "/v1");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(calls.at(-1)).toMatchObject({ method: "PATCH", path: "/api/v1/rerankers/2", body: { endpoint: "http://gpu:2/v1" } });
  expect(calls.at(-1)?.body).not.toHaveProperty("apiKey");
  await choose("Remove");
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(calls.at(-1)).toMatchObject({ method: "DELETE", path: "/api/v1/rerankers/2" });
});

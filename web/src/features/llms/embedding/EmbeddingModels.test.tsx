import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { EmbeddingModels } from "./EmbeddingModels";

const calls: { method: string; path: string; body: unknown }[] = [];
let models: Record<string, unknown>[] = [];
let progress: Record<string, unknown> = {};

beforeEach(() => {
  calls.length = 0;
  models = [model(1, "ACTIVE"), model(2, "IDLE")];
  vi.stubGlobal("fetch", (url: string, options: RequestInit = {}) => {
    const path = new URL(url, location.origin).pathname;
    const body: unknown = typeof options.body === "string" ? JSON.parse(options.body) : undefined;
    if (options.method === "POST") calls.push({ method: "POST", path, body });
    if (path.endsWith("/progress")) return Promise.resolve(Response.json(progress));
    return Promise.resolve(Response.json(options.method === "POST" ? {} : { embeddingModels: models }));
  });
});

function model(id: number, status: string) {
  return { id, modelName: `Model ${id}`, modelId: `m-${id}`, modelDimension: 384, isActive: status === "ACTIVE", status: `EMBEDDING_MODEL_STATUS_${status}` };
}

test("another model is activated; the active one has no actions", async () => {
  renderInApp(<EmbeddingModels />);
  await userEvent.click(await screen.findByRole("button", { name: "Activate" }));
  expect(calls).toMatchObject([{ path: "/api/v1/embedding-models/2:activate", body: { withoutFailed: false } }]);
  expect(screen.getAllByRole("button")).toHaveLength(1);
});

test("the progress of an index and the time left are shown", async () => {
  models = [model(1, "ACTIVE"), model(2, "BUILDING")];
  progress = { documents: "130", done: "30", secondsLeft: "125" };
  renderInApp(<EmbeddingModels />);
  expect(await screen.findByRole("progressbar", { name: "30 of 130 documents" })).toBeDefined();
  expect(screen.getByText(/about 2 min 5 s left/u)).toBeDefined();
});

test("documents that could not be copied are named, tried again or left out", async () => {
  models = [model(1, "ACTIVE"), model(2, "BUILDING")];
  progress = { documents: "3", done: "2", failed: "1", failures: [{ documentId: "7", message: "Too long." }], message: "1 documents" };
  renderInApp(<EmbeddingModels />);
  expect((await screen.findByRole("link", { name: "Document 7" })).getAttribute("href")).toBe("/documents/7");
  await userEvent.click(screen.getByRole("button", { name: "Activate without them" }));
  expect(calls.at(-1)?.body).toMatchObject({ withoutFailed: true });
});

test("a kept index is activated again, or deleted after a confirmation", async () => {
  models = [model(1, "STANDBY"), model(2, "ACTIVE")];
  renderInApp(<EmbeddingModels />);
  await userEvent.click(await screen.findByRole("button", { name: "Switch back" }));
  expect(calls.at(-1)?.path).toBe("/api/v1/embedding-models/1:activate");
  await userEvent.click(screen.getByRole("button", { name: "Delete index" }));
  expect(calls).toHaveLength(1);
  await userEvent.click(screen.getAllByRole("button", { name: "Delete index" }).at(-1) as HTMLElement);
  expect(calls.at(-1)?.path).toBe("/api/v1/embedding-models/1:dropIndex");
});

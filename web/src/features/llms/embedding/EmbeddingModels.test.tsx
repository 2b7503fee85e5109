import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { EmbeddingModels } from "./EmbeddingModels";

const calls: { method: string; path: string; body: unknown }[] = [];
let models: Record<string, unknown>[] = [];
let progress: Record<string, unknown> = {};
const fetched: string[] = [];
let documents: Record<string, unknown>[] = [];

beforeEach(() => {
  calls.length = 0;
  documents = [];
  models = [model(1, "ACTIVE"), model(2, "IDLE")];
  vi.stubGlobal("fetch", (url: string, options: RequestInit = {}) => {
    const path = new URL(url, location.origin).pathname;
    const body: unknown = typeof options.body === "string" ? JSON.parse(options.body) : undefined;
    const { method = "GET" } = options;
    if (method !== "GET") calls.push({ method, path, body });
    if (path.endsWith(":test")) return Promise.resolve(Response.json({ ok: false, message: "tei at gpu:1 cannot be reached" }));
    if (path.endsWith("/progress")) return Promise.resolve(Response.json(progress));
    fetched.push(path);
    if (path.endsWith("/documents")) return Promise.resolve(Response.json({ documents }));
    if (path.endsWith("/connectors")) return Promise.resolve(Response.json({ connectors: [{ id: 1, name: "EchoMind guide" }] }));
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
  expect(screen.getAllByRole("button", { name: /Activate|Switch|Stop|Delete/u })).toHaveLength(1);
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

test("a model of a server is added with its prefixes, and the reason is shown if it cannot be used", async () => {
  renderInApp(<EmbeddingModels />);
  await userEvent.click(await screen.findByRole("button", { name: "Add an embedding model" }));
  await userEvent.selectOptions(screen.getByLabelText("Protocol"), "EMBEDDING_PROTOCOL_TEI");
  await userEvent.type(screen.getByLabelText("Endpoint URL"), "http://gpu:8080");
  await userEvent.type(screen.getByLabelText("Model name at the server"), "BAAI/bge-m3");
  await userEvent.type(screen.getByLabelText("Text before a question"), "query: ");
  await userEvent.click(screen.getByRole("button", { name: "Add" }));
  const wanted = { protocol: "EMBEDDING_PROTOCOL_TEI", endpoint: "http://gpu:8080", modelId: "BAAI/bge-m3", modelName: "BAAI/bge-m3", queryPrefix: "query: " };
  expect(calls.at(-1)).toMatchObject({ path: "/api/v1/embedding-models", body: wanted });
});

test("a model of a server is tested, changed and removed; its key stays unless another is given", async () => {
  models = [model(1, "ACTIVE"), { ...model(2, "IDLE"), endpoint: "http://gpu:1", protocol: "EMBEDDING_PROTOCOL_TEI", hasApiKey: true, languages: ["en"] }];
  renderInApp(<EmbeddingModels />);
  expect(await screen.findByText(/API key stored.*English/u)).toBeDefined();
  const choose = async (item: string) => {
    await userEvent.click(screen.getByRole("button", { name: "Actions for Model 2" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: item }));
  };
  await choose("Test");
  expect(await screen.findByText("tei at gpu:1 cannot be reached")).toBeDefined();
  await choose("Edit");
  await userEvent.type(screen.getByLabelText("Endpoint URL"), "/embed");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(calls.at(-1)).toMatchObject({ method: "PATCH", path: "/api/v1/embedding-models/2", body: { endpoint: "http://gpu:1/embed" } });
  expect(calls.at(-1)?.body).not.toHaveProperty("apiKey");
  await choose("Remove");
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(calls.at(-1)).toMatchObject({ method: "DELETE", path: "/api/v1/embedding-models/2" });
});

test("documents in a language that the active model does not know are named with the model that does", async () => {
  const own = (language: string, count: number) => Array.from({ length: count }, () => ({ connectorId: 2, language }));
  documents = [...Array.from({ length: 50 }, () => ({ connectorId: 1, language: "en" })), ...own("de", 2), ...own("en", 4)];
  const english = { ...model(1, "ACTIVE"), modelId: "all-MiniLM-L6-v2-int8" };
  const multilingual = { ...model(2, "IDLE"), modelId: "multilingual-e5-small-int8" };
  models = [english, multilingual];
  renderInApp(<EmbeddingModels />);
  expect(await screen.findByText(/2 of the 6 newest documents are in German, .* Activate Model 2/u)).toBeTruthy();
});

test("a few documents in another language are no reason for another model", async () => {
  documents = [{ connectorId: 2, language: "de" }, ...Array.from({ length: 9 }, () => ({ connectorId: 2, language: "en" }))];
  models = [{ ...model(1, "ACTIVE"), modelId: "all-MiniLM-L6-v2-int8" }, { ...model(2, "IDLE"), modelId: "multilingual-e5-small-int8" }];
  renderInApp(<EmbeddingModels />);
  await screen.findByRole("button", { name: "Activate" });
  await vi.waitFor(() => expect(fetched).toContain("/api/v1/documents"));
  expect(screen.queryByText(/does not know/u)).toBeNull();
});

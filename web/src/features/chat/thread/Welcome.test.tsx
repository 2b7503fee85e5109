import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { Welcome } from "./Welcome";

const STARTERS = ["How do I connect a language model?", "How do I make a backup?"];
const CONNECTORS = [
  { id: 1, name: "EchoMind guide", isGuide: true },
  { id: 2, name: "Handbook" },
];

function serve(role: string, documents: unknown[]) {
  vi.stubGlobal("fetch", (url: string) => {
    const answers: Record<string, unknown> = {
      "/api/v1/users/me": { id: 3, roles: [role], firstName: "Ann" },
      "/api/v1/assistants": { assistants: [{ id: 1, name: "EchoMind", isDefault: true, starterMessages: STARTERS }] },
      "/api/v1/connectors": { connectors: CONNECTORS },
      "/api/v1/documents": { documents },
    };
    const path = new URL(url, location.origin).pathname;
    return Promise.resolve(Response.json(answers[path] ?? {}));
  });
}

const starters = () => screen.getAllByRole("button").map(({ textContent }) => textContent);

test("starters are about the reader's own newest documents, and of what their role may do", async () => {
  serve("ROLE_USER", [{ id: "7", title: "Leave" }, { id: "8", fileName: "budget.xlsx" }]);
  renderInApp(<Welcome assistantId={0} notebookId="" isExtractive={false} onAsk={() => undefined} />);
  await screen.findByText(/Leave/);
  expect(starters()).toEqual(["What are the main points of “Leave”?", "Which dates and figures does “budget.xlsx” have?", "How do I make a backup?"]);
});

test("with the built-in model, starters are those that it answers, and pictures are no texts", async () => {
  serve("ROLE_USER", [
    { id: "9", title: "image.png", contentType: "image/png" },
    { id: "7", title: "Leave", contentType: "application/pdf" },
    { id: "8", fileName: "budget.xlsx" },
  ]);
  renderInApp(<Welcome assistantId={0} notebookId="" isExtractive onAsk={() => undefined} />);
  await screen.findByText(/Leave/);
  expect(starters()).toEqual(["What are the main points of “Leave”?", "How do I make a backup?"]);
});

test("superadmins without documents are asked to connect a model", async () => {
  serve("ROLE_SUPERADMIN", []);
  renderInApp(<Welcome assistantId={0} notebookId="" isExtractive={false} onAsk={() => undefined} />);
  await screen.findByText(STARTERS[0] ?? "");
  expect(starters()).toEqual(STARTERS);
});

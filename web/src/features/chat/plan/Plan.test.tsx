import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { TodoJson } from "@/gen/echomind/public/v1/todo_pb";
import { renderInApp } from "@/testing/render";
import { Plan } from "./Plan";

const READ: TodoJson = { id: "1", chatSessionId: 7, title: "Read", orderIndex: 1, status: "TODO_STATUS_COMPLETED" };
const WRITE: TodoJson = { id: "2", chatSessionId: 7, title: "Write", orderIndex: 2, dependencies: ["1"], description: "cut" };

function show(answer: (method: string) => Response = () => Response.json({})) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, { method = "GET", body }: RequestInit) => {
    if (method !== "GET") sent.push([method, url, body && JSON.parse(body as string)]);
    return Promise.resolve(answer(method));
  });
  renderInApp(<Plan todos={[READ, WRITE]} isOwn />);
  return sent;
}

test("a todo is ticked off, and taken up again", async () => {
  const sent = show();
  await userEvent.click(screen.getByRole("button", { name: "Mark as done: Write" }));
  await userEvent.click(screen.getByRole("button", { name: "Reopen: Read" }));
  expect(sent).toEqual([
    ["PATCH", "/api/v1/todos/2", { status: "TODO_STATUS_COMPLETED" }],
    ["PATCH", "/api/v1/todos/1", { status: "TODO_STATUS_PENDING" }],
  ]);
});

test("a refusal is shown under the plan", async () => {
  show(() => Response.json({ error: { message: "It depends on todo 1." } }, { status: 400 }));
  await userEvent.click(screen.getByRole("button", { name: /Mark as done: Write/ }));
  expect((await screen.findByRole("alert")).textContent).toBe("It depends on todo 1.");
});

test("a change sends what differs from the stored todo, not from the words that an event cut short", async () => {
  const sent = show(() => Response.json({ ...WRITE, description: "The whole of it" }));
  await userEvent.click(screen.getByRole("button", { name: "Actions for Write" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit" }));
  await userEvent.type(await screen.findByLabelText("Title"), " it{Enter}");
  expect(sent).toEqual([["PATCH", "/api/v1/todos/2", { title: "Write it" }]]);
});

test("a todo is added after another, and one is removed", async () => {
  const sent = show();
  await userEvent.click(screen.getByRole("button", { name: "Add todo" }));
  await userEvent.click(screen.getByLabelText("2. Write"));
  await userEvent.type(screen.getByLabelText("Title"), "Send{Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Actions for Read" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Remove" }));
  const added = { title: "Send", description: "", status: "TODO_STATUS_PENDING", dependencies: ["2"] };
  expect(sent).toEqual([
    ["POST", "/api/v1/chat-sessions/7/todos", added],
    ["DELETE", "/api/v1/todos/1", undefined],
  ]);
});

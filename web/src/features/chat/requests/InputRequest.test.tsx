import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { newRun } from "@/features/chat/live/run";
import type { PendingInputJson } from "@/gen/echomind/public/v1/run_pb";
import { renderInApp } from "@/testing/render";
import { InputRequest } from "./InputRequest";

function show(pendingInput: PendingInputJson, status = 200) {
  const error = { error: { code: "FAILED_PRECONDITION", reason: "RUN_STATE", message: "It does not wait." } };
  const fetch = vi.fn(() => Promise.resolve(new Response(JSON.stringify(status === 200 ? {} : error), { status })));
  vi.stubGlobal("fetch", fetch);
  renderInApp(<InputRequest run={{ ...newRun("r1"), status: "RUN_STATUS_WAITING_FOR_INPUT", pendingInput }} />);
  return () => fetch.mock.calls.map((call: unknown[]) => [call[0], JSON.parse((call[1] as RequestInit).body as string)] as const);
}

const QUESTION: PendingInputJson = { kind: "PENDING_INPUT_KIND_CLARIFICATION", question: "Which year?", options: ["2024", "2025"] };

test("an option answers the question, once", async () => {
  const sent = show(QUESTION);
  expect(screen.getByRole("region", { name: "Needs your answer" }).textContent).toContain("Which year?");
  await userEvent.click(screen.getByRole("button", { name: "2025" }));
  await userEvent.click(screen.getByRole("button", { name: "2024" }));
  expect(sent()).toEqual([["/api/v1/runs/r1:provideInput", { content: "2025" }]]);
});

test("other words answer it too", async () => {
  const sent = show(QUESTION);
  await userEvent.type(screen.getByLabelText("Your reply"), " both {Enter}");
  expect(sent()).toEqual([["/api/v1/runs/r1:provideInput", { content: "both" }]]);
});

test("a refusal is shown, and the answer can be given again", async () => {
  show(QUESTION, 400);
  await userEvent.click(screen.getByRole("button", { name: "2024" }));
  expect((await screen.findByRole("alert")).textContent).toContain("It does not wait.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "2024" }).disabled).toBe(false);
});

test("calls are decided on one by one, with a comment", async () => {
  const call = (toolCallId: string, url: string) => ({ toolCallId, toolName: "fetch_page", parameters: { url }, sideEffect: true });
  const sent = show({
    kind: "PENDING_INPUT_KIND_APPROVAL",
    toolCalls: [call("a", "http://a.test"), call("b", "http://b.test")],
  });
  expect(screen.getByText("http://a.test")).toBeTruthy();
  const [comment] = screen.getAllByLabelText("Comment for the agent");
  if (comment) await userEvent.type(comment, "Not that one.");
  const [deny] = screen.getAllByRole("button", { name: "Deny" });
  if (deny) await userEvent.click(deny);
  const approve = screen.getAllByRole("button", { name: "Approve" })[1];
  if (approve) await userEvent.click(approve);
  expect(sent()).toEqual([
    ["/api/v1/runs/r1:approveToolCall", { toolCallId: "a", approved: false, comment: "Not that one." }],
    ["/api/v1/runs/r1:approveToolCall", { toolCallId: "b", approved: true, comment: "" }],
  ]);
});

const ROOM: PendingInputJson = {
  kind: "PENDING_INPUT_KIND_CLARIFICATION",
  question: "The MCP server rooms asks: Which room?",
  form: {
    server: "rooms",
    message: "Which room?",
    fields: [
      { name: "room", type: "INPUT_FIELD_TYPE_STRING", title: "Room", required: true, options: ["blue", "red"] },
      { name: "people", type: "INPUT_FIELD_TYPE_INTEGER", defaultValues: ["2"], minimum: 1 },
      { name: "quiet", type: "INPUT_FIELD_TYPE_BOOLEAN", defaultValues: ["yes"] },
      { name: "food", type: "INPUT_FIELD_TYPE_ARRAY", options: ["soup", "fish", "bread"] },
      { name: "note", type: "INPUT_FIELD_TYPE_STRING" },
    ],
  },
};

test("a form of a server is filled in", async () => {
  const sent = show(ROOM);
  expect(screen.getByText("The MCP server rooms asks: Which room?")).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText("Room"), "blue");
  await userEvent.click(screen.getByLabelText("fish"));
  await userEvent.click(screen.getByLabelText("soup"));
  await userEvent.click(screen.getByLabelText("quiet"));
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  const content = JSON.stringify({ room: "blue", people: "2", quiet: false, food: ["soup", "fish"] });
  expect(sent()).toEqual([["/api/v1/runs/r1:provideInput", { content }]]);
});

test("a form without what it requires is not sent, and can be declined", async () => {
  const sent = show(ROOM);
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(sent()).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Decline" }));
  expect(sent()).toEqual([["/api/v1/runs/r1:provideInput", { content: "decline" }]]);
});

test("a form without fields asks for consent", async () => {
  const sent = show({ kind: "PENDING_INPUT_KIND_CLARIFICATION", form: { server: "rooms", message: "May I?" } });
  await userEvent.click(screen.getByRole("button", { name: "Agree" }));
  expect(sent()).toEqual([["/api/v1/runs/r1:provideInput", { content: "accept" }]]);
});

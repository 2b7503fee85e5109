import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { emptyFeed, withEvent } from "@/features/chat/live/feed";
import { newRun } from "@/features/chat/live/run";
import type { SessionEventJson } from "@/gen/echomind/public/v1/session_event_pb";
import { renderInApp } from "@/testing/render";
import { RunTrace } from "./RunTrace";

const RUN = "root";

function show(...details: Partial<SessionEventJson>[]) {
  const events = details.map((detail, index) => ({ runId: RUN, ...detail, id: String(index + 1) }));
  const feed = events.reduce(withEvent, emptyFeed());
  renderInApp(<RunTrace run={feed.runs[RUN] ?? newRun(RUN)} feed={feed} />);
}

const running = (toolCallId: string, more = {}): Partial<SessionEventJson> => ({
  toolCall: { stepNumber: 1, toolCallId, toolName: "search_documents", status: "STEP_STATUS_RUNNING", ...more },
});

test("parallel calls are distinguished from cancelled ones, with their progress", () => {
  show(
    { step: { stepNumber: 1, waitStrategy: "WAIT_STRATEGY_ANY" } },
    running("a"),
    running("b", { progressPercentage: 40, statusMessage: "Page 4 of 10" }),
    { toolCall: { stepNumber: 1, toolCallId: "a", status: "STEP_STATUS_CANCELLED" } },
  );
  expect(screen.getByText("2 parallel calls, first success is enough · 1 of 2 done")).toBeTruthy();
  expect(screen.getByLabelText("Cancelled")).toBeTruthy();
  expect(screen.getByText("Page 4 of 10 · 40%")).toBeTruthy();
  expect(screen.getByRole<HTMLProgressElement>("progressbar").value).toBe(40);
});

test("a sub-agent is shown in place of the call that started it, with its result", async () => {
  const child = { id: "child", status: "RUN_STATUS_COMPLETED", resultSummary: "Two agree." };
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(child)));
  show(
    running("f"),
    { subRunStarted: { runId: "child", goal: "Read the papers", toolCallId: "f" } },
    { runId: "child", ...running("c", { toolName: "fetch_page", approval: "TOOL_APPROVAL_REQUIRED" }) },
    { runId: "child", finished: { status: "RUN_STATUS_COMPLETED" } },
    { toolCall: { stepNumber: 1, toolCallId: "f", status: "STEP_STATUS_COMPLETED" } },
  );
  const [item] = screen.getAllByRole("listitem");
  const agent = within(item ?? document.body);
  expect(agent.getByText("Read the papers")).toBeTruthy();
  expect(await agent.findByText("Two agree.")).toBeTruthy();
  expect(agent.getByText("Fetch page")).toBeTruthy();
});

test("a parallel call counts as done when its sub-agent has ended", () => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({})));
  show(
    { step: { stepNumber: 1, waitStrategy: "WAIT_STRATEGY_ALL" } },
    running("f"),
    running("g"),
    { subRunStarted: { runId: "one", goal: "Read", toolCallId: "f" } },
    { subRunStarted: { runId: "two", goal: "Write", toolCallId: "g" } },
    { runId: "one", finished: { status: "RUN_STATUS_COMPLETED" } },
  );
  expect(screen.getByText(/1 of 2 done/)).toBeTruthy();
});

test("the plan shows order, what waits for what, and efforts", () => {
  show({
    todos: {
      todos: [
        { id: "2", title: "Write", orderIndex: 2, dependencies: ["1"], estimatedSteps: 3, actualSteps: 1 },
        { id: "1", title: "Read", orderIndex: 1, status: "TODO_STATUS_IN_PROGRESS" },
      ],
    },
  });
  const items = within(screen.getByRole("list", { name: "Plan" })).getAllByRole("listitem");
  expect(items.map(({ textContent }) => textContent)).toEqual(["1. Read (In progress)", "2. Write (Pending) after 11 of about 3 steps"]);
  expect(screen.getByText("0 of 2 done")).toBeTruthy();
});

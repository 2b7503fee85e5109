import { expect, test } from "vitest";
import type { StepJson } from "@/gen/echomind/public/v1/step_pb";
import { barsOf } from "./bars";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 2) + ms).toISOString();
const TREE = [
  { id: "root", creationDate: at(0), startedAt: at(10) },
  { id: "child", parentRunId: "root", creationDate: at(60), completedAt: at(90), status: "RUN_STATUS_FAILED" as const },
  { id: "loose", parentRunId: "root", creationDate: at(95), completedAt: at(99) },
];
const STEPS: Record<string, StepJson[]> = {
  root: [
    {
      stepNumber: 1,
      llmModel: "m",
      startedAt: at(10),
      completedAt: at(100),
      status: "STEP_STATUS_COMPLETED",
      toolCalls: [
        { toolCallId: "a", startedAt: at(50), completedAt: at(55), status: "STEP_STATUS_COMPLETED" },
        { toolCallId: "b", startedAt: at(58), externalTaskId: "child", status: "STEP_STATUS_RUNNING" },
      ],
    },
  ],
};

test("steps, model calls, tool calls and sub-agents in their order", () => {
  const bars = barsOf(TREE, (id) => STEPS[id] ?? [], new Date(at(120)));
  expect(bars.map(({ key, depth, kind, start, end }) => [key, depth, kind, start, end])).toEqual([
    ["root", 0, "run", 0, 120],
    ["root/1", 1, "step", 10, 100],
    ["root/1/model", 2, "model", 10, 50],
    ["root/1/a", 2, "tool", 50, 55],
    ["root/1/b", 2, "tool", 58, 120],
    ["child", 3, "run", 60, 90],
    ["loose", 1, "run", 95, 99],
  ]);
  expect(bars.filter(({ hasFailed }) => hasFailed).map(({ key }) => key)).toEqual(["child"]);
  expect(barsOf([], () => [], new Date())).toEqual([]);
});

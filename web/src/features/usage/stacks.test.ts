import { expect, test } from "vitest";
import { stacksOf } from "./stacks";

test("days without usage are there, and the most used model is at the bottom", () => {
  const usage = [
    { day: "2025-03-30", id: 1, name: "A", promptTokens: "10" },
    { day: "2025-04-01", id: 1, name: "A", promptTokens: "5", completionTokens: "1" },
    { day: "2025-04-01", id: 2, name: "B", promptTokens: "30" },
    { day: "2025-04-01", name: "", questions: "1" },
  ];
  expect(stacksOf(usage)).toEqual({
    models: [
      { id: 2, name: "B" },
      { id: 1, name: "A" },
    ],
    days: [
      { day: "2025-03-30", parts: [{ model: 1, from: 0, to: 10 }] },
      { day: "2025-03-31", parts: [] },
      {
        day: "2025-04-01",
        parts: [
          { model: 0, from: 0, to: 30 },
          { model: 1, from: 30, to: 36 },
        ],
      },
    ],
    highest: 36,
  });
  expect(stacksOf([])).toEqual({ models: [], days: [], highest: 1 });
});

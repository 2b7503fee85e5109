import { expect, test } from "vitest";
import { csvOf } from "./csv";

test("usage has a line for each row", () => {
  expect(csvOf([{ day: "2026-03-01", questions: "2", promptTokens: "10", cost: 0.5 }])).toBe(
    "day,id,name,kind,questions,failedQuestions,activeUsers,promptTokens,completionTokens,cost\r\n2026-03-01,0,,,2,0,0,10,0,0.5\r\n",
  );
});

test.each([
  ["Ada, Countess", '"Ada, Countess"'],
  ['the "first"', '"the ""first"""'],
  ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ["-5", "-5"],
])("the name %j is written as %j", (name, written) => {
  expect(csvOf([{ id: 3, name }]).split("\r\n")[1]).toContain(`3,${written},,0`);
});

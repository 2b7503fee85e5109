import { expect, test } from "vitest";
import { readJsonLines, writeJsonLines } from "./json-lines";

test("what is written can be read", () => {
  const cases = [{ question: "Wie lange?", facts: ["30 Tage"] }, { question: "Who?", documents: ["leave.md"], answer: "Ann" }];
  const stored = cases.map((one, index) => ({ ...one, id: String(index), passages: [] }));
  expect(readJsonLines(`${writeJsonLines(stored)}\n`)).toEqual({ cases });
});

test.each([
  ["{", { line: 2, problem: "json" }],
  ['{"facts": []}', { line: 2, problem: "question" }],
  ["[]", { line: 2, problem: "question" }],
  ['{"question": "x", "fact": "y"}', { line: 2, problem: "field", field: "fact" }],
  ['{"question": "x", "facts": [3]}', { line: 2, problem: "field", field: "facts" }],
])("a wrong line is named: %s", (content, bad) => {
  expect(readJsonLines(`{"question": "x"}\n${content}`)).toEqual({ bad });
});

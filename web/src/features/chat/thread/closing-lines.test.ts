import { expect, test } from "vitest";
import { withoutLastLines } from "./closing-lines";

test("the closing list is cut off, with the blank lines in it", () => {
  const answer = "Leave is 30 days.\n\n## Suggested questions\n\n- How many?\n\n- Who?\n";
  expect(withoutLastLines(answer, 2)).toBe("Leave is 30 days.\n\n## Suggested questions");
  expect(withoutLastLines(answer, 0)).toBe(answer);
  expect(withoutLastLines("- How?\n- Who?", 2)).toBe("");
});

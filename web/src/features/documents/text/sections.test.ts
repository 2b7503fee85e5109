import { expect, test } from "vitest";
import { sectionAt } from "./sections";

const chunks = [
  {
    id: "a",
    start: 0,
    end: 90,
    heading: ["Handbook", "1 Hours"],
    laterSections: [
      { start: 30, heading: ["Handbook", "2 Probation"] },
      { start: 60, heading: ["Handbook", "3 Remote work"] },
    ],
  },
  { id: "b", start: 91, end: 120, heading: ["Handbook", "4 Leave"] },
];

test.each([
  ["the start of the passage", "a", 0, "1 Hours"],
  ["a section within it", "a", 59, "2 Probation"],
  ["the last one", "a", 60, "3 Remote work"],
  ["the passage next to it", "a", 100, "4 Leave"],
  ["a place of no passage", "b", 500, "4 Leave"],
])("%s", (_name, id, place, section) => {
  expect(sectionAt(chunks, id, place)).toEqual(["Handbook", section]);
});

test("a passage that is not there has none", () => {
  expect(sectionAt(chunks, "c", 10)).toEqual([]);
});

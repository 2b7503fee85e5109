import { describe, expect, it } from "vitest";
import { groupsOf } from "./groups";

const NOW = new Date(2026, 10, 22, 9, 30);
const at = (id: number, daysAgo: number, hour: number, more = {}) => ({
  id,
  lastMessageAt: new Date(2026, 10, 22 - daysAgo, hour).toISOString(),
  ...more,
});

describe("groupsOf", () => {
  it("puts pinned ones first and the others by the calendar", () => {
    const sessions = [at(1, 90, 8, { pinned: true }), at(2, 0, 1), at(3, 1, 23), at(4, 7, 1), at(5, 8, 1), at(6, 30, 1), at(7, 31, 1)];
    const groups = groupsOf(sessions, NOW).map(({ key, sessions: own }) => [key, own.map(({ id }) => id)]);
    expect(groups).toEqual([
      ["pinned", [1]],
      ["today", [2]],
      ["week", [3, 4]],
      ["month", [5, 6]],
      ["older", [7]],
    ]);
  });

  it("goes by the beginning where nothing was said yet", () => {
    const { lastMessageAt: creationDate } = at(1, 3, 1);
    expect(groupsOf([{ id: 1, creationDate }], NOW).map(({ key }) => key)).toEqual(["week"]);
  });
});

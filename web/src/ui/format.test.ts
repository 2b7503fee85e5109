// @vitest-environment jsdom
import { i18n } from "@lingui/core";
import { afterEach, expect, test } from "vitest";
import { formatBytes, formatCost, formatDuration, formatMoment, formatRelative } from "./format";

afterEach(() => i18n.activate("en"));

test("time spans have their two largest units, without one that is zero", () => {
  const spans = [840, 3240, 59_949, 59_950, 119_600, 125_000, 300_000, 3_599_600, 5_400_000, 86_400_000];
  expect(spans.map(formatDuration)).toEqual([
    "840 ms",
    "3.2 s",
    "59.9 s",
    "1 min",
    "2 min",
    "2 min 5 s",
    "5 min",
    "1 h",
    "1 h 30 min",
    "24 h",
  ]);
});

test("sizes grow by the thousand", () => {
  expect([0, 999, 1400, 25_000, 3_000_000_000_000].map(formatBytes)).toEqual(["0 B", "999 B", "1.4 kB", "25 kB", "3 TB"]);
});

test("small costs keep two digits that say something", () => {
  expect([0, 0.000123, 0.5, 12.345].map(formatCost)).toEqual(["$0.00", "$0.00012", "$0.50", "$12.35"]);
});

test("moments are as long ago as they read", () => {
  const now = new Date("2026-03-10T12:00:00Z");
  const moments = ["2026-03-10T11:59:40Z", "2026-03-10T11:55:00Z", "2026-03-09T11:00:00Z", "2026-03-12T13:00:00Z", "2024-03-01T00:00:00Z"];
  expect(moments.map((moment) => formatRelative(moment, now))).toEqual(["now", "5 minutes ago", "yesterday", "in 2 days", "2 years ago"]);
});

test("figures follow the language of the pages", () => {
  i18n.loadAndActivate({ locale: "de", messages: {} });
  expect(formatDuration(3240)).toBe("3,2 s");
  expect(formatMoment("2024-03-03T12:00:00Z", new Date("2026-01-01"))).toBe("3. März 2024");
});

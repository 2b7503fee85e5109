import { expect, it } from "vitest";
import { CODECS, filterOf, fromSort, NO_FILTER, orderOf, toSort, type ListState } from "./filter";

const EVERYTHING: ListState = { ...NO_FILTER, sort: "-added" };

it("sends nothing that is not asked for", () => {
  expect(filterOf(EVERYTHING)).toEqual({});
  expect(orderOf(EVERYTHING)).toEqual({ sort: "DOCUMENT_SORT_ADDED", descending: true });
});

it("sends the words of the address as the contract says them", () => {
  const state: ListState = { q: " leave ", status: ["failed"], type: ["web_page"], source: ["4", "x"], folder: "a/b", visible: "group", sort: "title" };
  expect(filterOf(state)).toEqual({
    query: "leave",
    statuses: ["DOCUMENT_STATUS_FAILED"],
    kinds: ["DOCUMENT_KIND_WEB_PAGE"],
    connectorIds: [4],
    folder: "a/b",
    scope: "SCOPE_GROUP",
  });
  expect(orderOf(state)).toEqual({ sort: "DOCUMENT_SORT_TITLE", descending: false });
});

it("has the order of the table in the address", () => {
  expect(fromSort(toSort("-size"))).toBe("-size");
  expect(fromSort({ column: "unknown", direction: "asc" })).toBe("-added");
  expect(CODECS.sort.write("-added")).toEqual([]);
});

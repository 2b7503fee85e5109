import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { flag, many, oneOf, text, texts, useSearchState } from "./search-state";

const CODECS = { q: text(), sort: oneOf(["name", "newest"], "newest"), status: many(["ready", "failed"]), source: texts(), open: flag() };

beforeEach(() => history.replaceState(null, "", "/documents"));

test("values stand in the address, the defaults are left out", () => {
  const { result } = renderHook(() => useSearchState(CODECS));
  expect(result.current[0]).toEqual({ q: "", sort: "newest", status: [], source: [], open: false });
  act(() => result.current[1]({ q: "a b", sort: "name", status: ["failed", "ready"], source: ["7"], open: true }));
  expect(location.search).toBe("?q=a+b&sort=name&status=failed&status=ready&source=7&open=1");
  act(() => result.current[1]({ q: "", sort: "newest", status: ["failed"], open: false }));
  expect(location.search).toBe("?source=7&status=failed");
  expect(result.current[0].status).toEqual(["failed"]);
});

test("what nobody knows is dropped, and what belongs to others stays", () => {
  history.replaceState(null, "", "/documents?sort=size&status=lost&status=ready&src=3");
  const { result } = renderHook(() => useSearchState(CODECS));
  expect(result.current[0]).toMatchObject({ sort: "newest", status: ["ready"] });
  act(() => result.current[1]({ q: "x" }, "push"));
  expect(new URLSearchParams(location.search).get("src")).toBe("3");
});

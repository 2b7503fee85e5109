import { act, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { useFollow } from "./use-follow";

beforeEach(() => {
  vi.stubGlobal("ResizeObserver", class {
    observe() {}
    disconnect() {}
  });
});

function Scroller() {
  const { ref, isFollowing } = useFollow(undefined, true);
  return (
    <div ref={ref}>
      <p>{isFollowing ? "follows" : "stays"}</p>
      <button type="button">Source 1</button>
    </div>
  );
}

test.each([
  ["keyboard", true, "stays"],
  ["pointer", false, "follows"],
])("whoever moves through an answer by %s: visible focus %s, the page %s", (_, isFocusVisible, words) => {
  renderInApp(<Scroller />);
  expect(screen.getByText("follows")).toBeTruthy();
  const button = screen.getByRole("button");
  // jsdom guesses it from all that happened in the document before.
  vi.spyOn(button, "matches").mockImplementation((selector) => selector === ":focus-visible" && isFocusVisible);
  act(() => {
    button.focus();
  });
  expect(screen.getByText(words)).toBeTruthy();
});

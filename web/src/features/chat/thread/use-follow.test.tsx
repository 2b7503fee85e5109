import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { useFollow } from "./use-follow";

afterEach(cleanup);
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

test("whoever goes through an answer by keyboard is not scrolled away from it", async () => {
  renderInApp(<Scroller />);
  expect(screen.getByText("follows")).toBeTruthy();
  await userEvent.tab();
  expect(screen.getByText("stays")).toBeTruthy();
});

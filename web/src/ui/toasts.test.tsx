import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { runNewestAction, showToast, Toasts } from "./toasts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  act(() => {
    vi.runAllTimers();
  });
  cleanup();
  vi.useRealTimers();
});

test("a message goes by itself, but not under the pointer", () => {
  renderInApp(<Toasts />);
  act(() => showToast({ message: "Renamed" }));
  fireEvent.pointerEnter(screen.getByText("Renamed"));
  act(() => {
    vi.advanceTimersByTime(60_000);
  });
  expect(screen.queryByText("Renamed")).not.toBeNull();
  fireEvent.pointerLeave(screen.getByText("Renamed"));
  act(() => {
    vi.advanceTimersByTime(6000);
  });
  expect(screen.queryByText("Renamed")).toBeNull();
});

test("an action runs once and ends its message", () => {
  const run = vi.fn();
  renderInApp(<Toasts />);
  act(() => showToast({ message: "Archived", action: { label: "Undo", run } }));
  act(() => showToast({ message: "Copied" }));
  act(() => expect(runNewestAction()).toBe(true));
  act(() => expect(runNewestAction()).toBe(false));
  expect(run).toHaveBeenCalledOnce();
  expect(screen.queryByText("Archived")).toBeNull();
  expect(screen.queryByText("Copied")).not.toBeNull();
});

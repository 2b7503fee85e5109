import { act, screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { lazyPart } from "./lazy-part";
import { noteMissingParts } from "./missing-parts";

const Part = ({ name }: { name: string }) => <p>Here is {name}.</p>;

/** A part that cannot be loaded the first time. */
function flaky(options?: Parameters<typeof lazyPart>[1]) {
  const load = vi.fn(() => Promise.resolve(Part));
  load.mockImplementationOnce(() => {
    const error = new Error("Failed to fetch dynamically imported module");
    dispatchEvent(Object.assign(new Event("vite:preloadError"), { payload: error }));
    return Promise.reject(error);
  });
  return { Lazy: lazyPart<{ name: string }>(load, options), load };
}

beforeAll(noteMissingParts);
beforeEach(() => void vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network"))));

it("contains a part that cannot be loaded, and loads it when it is tried again", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const { Lazy } = flaky();
  renderInApp(
    <>
      <p>The page stays.</p>
      <Lazy name="the part" />
    </>,
  );
  expect(await screen.findByText("This part of EchoMind could not be loaded.")).toBeTruthy();
  expect(screen.getByText("The page stays.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  expect(await screen.findByText("Here is the part.")).toBeTruthy();
});

it("tries again by itself when the connection is back", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const { Lazy } = flaky();
  renderInApp(<Lazy name="the part" />);
  await screen.findByText("This part of EchoMind could not be loaded.");
  act(() => void window.dispatchEvent(new Event("online")));
  expect(await screen.findByText("Here is the part.")).toBeTruthy();
});

it("keeps what was there before for parts that only add something", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const { Lazy } = flaky({ whenFailed: "fallback" });
  renderInApp(<Lazy name="the part" fallback={<p>Plain.</p>} />);
  expect(await screen.findByText("Plain.")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

it("loads ahead, and again where that failed", async () => {
  const { Lazy, load } = flaky();
  Lazy.preload();
  await vi.waitFor(() => expect(load).toHaveBeenCalledOnce());
  renderInApp(<Lazy name="the part" />);
  expect(await screen.findByText("Here is the part.")).toBeTruthy();
});

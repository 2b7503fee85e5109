import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { Markdown } from "./Markdown";

afterEach(cleanup);

const holds = { number: 1, title: "Handbook", page: 3, documentId: "4", supported: true, sentenceStart: 0, sentenceEnd: 20 };
const fails = { ...holds, number: 2, title: "Plan", supported: false };

function show(content: string) {
  const onOpen = vi.fn();
  const { container } = renderInApp(<Markdown content={content} citations={[holds, fails]} onOpen={onOpen} />);
  return { container, onOpen };
}

test("markers of known sources are chips, others stay text", () => {
  const { container } = show("You get 30 days [1][2], or more [1, 2], see [7] and `[1]`.");
  expect(screen.getAllByRole("button", { name: /^Source/ })).toHaveLength(4);
  expect(container.textContent).toContain("see [7] and [1].");
});

test("a chip says whether its source supports the sentence", () => {
  show("So it is [1]. Or not [2].");
  expect(screen.getByRole("button", { name: "Source 1: Handbook, page 3" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Source 2: Plan, page 3, does not support this sentence" })).toBeTruthy();
});

test("clicking a chip opens its citation", async () => {
  const { onOpen } = show("So it is [2].");
  await userEvent.click(screen.getByRole("button", { name: /Source 2/ }));
  expect(onOpen).toHaveBeenCalledWith(fails);
});

test("markers in lists and tables are chips too", () => {
  show("- one [1]\n- two [2]\n\n| a |\n| - |\n| x [1] |");
  expect(screen.getAllByRole("button", { name: /^Source/ })).toHaveLength(3);
});

test("HTML is shown, not made", () => {
  const { container } = show('Hello <img src="https://evil.example/x" onerror="alert(1)"> <script>alert(1)</script> [1]');
  expect(container.querySelector("img, script")).toBeNull();
  expect(container.textContent).toContain("<script>");
});

test("images are links and load nothing", () => {
  const { container } = show("![secret](https://evil.example/x?q=1)");
  expect(container.querySelector("img")).toBeNull();
  expect(screen.getByRole("link", { name: "secret" }).getAttribute("rel")).toContain("noreferrer");
});

test("links to scripts lead nowhere", () => {
  const { container } = show("[click](javascript:alert(1)) and [data](data:text/html,x)");
  expect(container.querySelectorAll("a")).toHaveLength(0);
  expect(container.textContent).toContain("click and data");
});

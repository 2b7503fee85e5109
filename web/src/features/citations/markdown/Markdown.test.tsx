import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { Markdown } from "./Markdown";
import { PlainWhenFailed } from "./PlainWhenFailed";

const holds = { number: 1, title: "Handbook", page: 3, documentId: "4", supported: true, sentenceStart: 0, sentenceEnd: 20 };
const fails = { ...holds, number: 2, title: "Plan", supported: false };

function Fragile({ text }: { text: string }) {
  if (text === "broken") throw new Error("cannot be rendered");
  return `rendered: ${text}`;
}

function show(content: string) {
  const onOpen = vi.fn();
  const { container } = renderInApp(<Markdown content={content} citations={[holds, fails]} onOpen={onOpen} />);
  return { container, onOpen };
}

test("markers of known sources are chips, others stay text", async () => {
  const { container } = show("You get 30 days [1][2], or more [1, 2], see [7] and `[1]`.");
  expect(await screen.findAllByRole("button", { name: /^Source/ })).toHaveLength(4);
  expect(container.textContent).toContain("see [7] and [1].");
});

test("a chip names a source that does not support the sentence", async () => {
  show("So it is [1]. Or not [2].");
  expect(await screen.findByRole("button", { name: "Source 1: Handbook, page 3" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Source 2: Plan, page 3, does not support this sentence" })).toBeTruthy();
});

test("clicking a chip opens its citation", async () => {
  const { onOpen } = show("So it is [2].");
  await userEvent.click(await screen.findByRole("button", { name: /Source 2/ }));
  expect(onOpen).toHaveBeenCalledWith(fails);
});

test("markers in lists and tables are chips too", async () => {
  show("- one [1]\n- two [2]\n\n| a |\n| - |\n| x [1] |");
  expect(await screen.findAllByRole("button", { name: /^Source/ })).toHaveLength(3);
});

test("names of knowledge that was found are links to it, others stay text", async () => {
  const knowledge = [{ id: "12", title: "Release day", content: "On Tuesdays." }];
  const { container } = renderInApp(<Markdown content="On Tuesdays [K12]. [K13] and [K12, K13]." citations={[holds]} knowledge={knowledge} />);
  expect((await screen.findByRole("link", { name: "Knowledge K12: Release day" })).getAttribute("href")).toBe("/knowledge/12");
  expect(container.textContent).toContain("[K13] and [K12, K13].");
});

test("HTML is shown, not made", () => {
  const { container } = show('Hello <img src="https://evil.example/x" onerror="alert(1)"> <script>alert(1)</script> [1]');
  expect(container.querySelector("img, script")).toBeNull();
  expect(container.textContent).toContain("<script>");
});

test.each(["https://evil.example/x?q=1", "https://evil.example/api/v1/documents/7:download", "//evil.example/x"])(
  "the image %s loads nothing, and shows its address before it is opened",
  async (address) => {
    const { container } = show(`![secret](${address})`);
    expect(container.querySelector("img, a")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "secret (evil.example)" }));
    const dialog = screen.getByRole("dialog", { name: "Open a page of evil.example?" });
    expect(dialog.textContent).toContain("//evil.example/");
    const link = screen.getByRole("link", { name: "Open" });
    expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([new URL(address, location.href).href, "noopener noreferrer nofollow"]);
  },
);

test("a link whose text hides its address is none before the address was shown", async () => {
  const { container } = show("Read [the annex](https://evil.example/?d=secret) or [this][1].\n\n[1]: https://evil.example/secret");
  expect(container.querySelector("a")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "the annex" }));
  expect(screen.getByRole("dialog").textContent).toContain("https://evil.example/?d=secret");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test.each(["http://server.example:PORT/x", "http://HOST:PORT/", "[a](http://a:99999)", "![a](http://a:99999)"])(
  "%s is text, as it is no address",
  (written) => {
    const { container } = show(`Open ${written} now.`);
    expect(container.querySelector("a, button")).toBeNull();
    expect(container.textContent).toContain("Open ");
  },
);

test("a text that cannot be rendered is shown as it was written, until there is more of it", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const written = ({ text }: { text: string }) => (
    <PlainWhenFailed text={text}>
      <Fragile text={text} />
    </PlainWhenFailed>
  );
  const { container, rerender } = renderInApp(written({ text: "broken" }));
  expect(container.textContent).toBe("broken");
  rerender(written({ text: "whole" }));
  expect(container.textContent).toBe("rendered: whole");
});

test("an image in a link is no link of its own", () => {
  const { container } = show("[![plan](https://evil.example/a.png)](https://evil.example/b)");
  expect(container.querySelectorAll("button, a")).toHaveLength(1);
});

test("links that show their address, lead to a cited page, or stay here are links", () => {
  const page = { number: 3, title: "Law", url: "https://law.example/leave", supported: true, sentenceStart: 0, sentenceEnd: 9 };
  renderInApp(<Markdown content="https://a.example/x [the law](https://law.example/leave) [chats](/chat)" citations={[page]} />);
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["https://a.example/x", "https://law.example/leave", "/chat"]);
});

test("an image of a stored document is shown, other addresses of the product are links", () => {
  show("![plan](/api/v1/documents/7:download) ![me](/api/v1/users/me)");
  const image = screen.getByRole("img", { name: "plan" });
  expect(image.getAttribute("src")).toBe("/api/v1/documents/7:download");
  expect(screen.getByRole("link", { name: "me" })).toBeTruthy();
  fireEvent.error(image);
  expect(screen.getByRole("link", { name: "plan" })).toBeTruthy();
});

test("a diagram is drawn in a frame without an origin when its block is whole, and is code when that fails", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }));
  show("```mermaid\ngraph TD; A-->B\n```");
  const frame = await screen.findByTitle<HTMLIFrameElement>("Diagram");
  expect([frame.getAttribute("sandbox"), frame.getAttribute("src")]).toEqual(["allow-scripts", "/sandbox/diagram.html"]);
  const says = (data: unknown, origin = "null"): void =>
    void act(() => window.dispatchEvent(new MessageEvent("message", { data, origin, source: frame.contentWindow })));
  says({ kind: "drawn", height: 240 });
  expect(frame.style.height).toBe("240px");
  says({ kind: "failed", reason: "no" }, "https://evil.example");
  expect(screen.queryByText(/could not be drawn/)).toBeNull();
  says({ kind: "failed", reason: "Parse error" });
  expect(screen.getByText("The diagram could not be drawn: Parse error")).toBeTruthy();
  expect(screen.getByRole("figure", { name: "Code in mermaid" }).textContent).toContain("A-->B");
});

test("links to scripts lead nowhere", () => {
  const { container } = show("[click](javascript:alert(1)) and [data](data:text/html,x)");
  expect(container.querySelectorAll("a")).toHaveLength(0);
  expect(container.textContent).toContain("click and data");
});

import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { renderInApp as render } from "@/testing/render";
import { SourceText } from "./SourceText";

const TABLE = "| City | Limit |\n| --- | --- |\n| Oslo | 200 euro |\n| Berlin | 140 euro |";

function cited(container: HTMLElement): string[] {
  return [...container.querySelectorAll("[data-cited]")].map((element) => element.textContent);
}

test("a quote is marked over elements, and brought into sight", async () => {
  const scrollIntoView = vi.spyOn(Element.prototype, "scrollIntoView");
  const onMarked = vi.fn();
  const { container } = render(<SourceText content={"# Leave\n\nYou get **thirty** days of *paid leave* a year."} quote="get thirty days of paid leave" onMarked={onMarked} />);
  expect(cited(container)).toEqual(["get ", "thirty", " days of ", "paid leave"]);
  await waitFor(() => expect(onMarked).toHaveBeenLastCalledWith(true));
  expect(scrollIntoView).toHaveBeenCalledOnce();
});

test("the rows of a table are marked by the cells that a passage names", () => {
  const { container } = render(<SourceText content={TABLE} quote="City: Berlin; Limit: 140 euro" />);
  expect(cited(container)).toEqual(["Berlin140 euro"]);
});

test("the rows of a table without a heading row are marked by their cells", () => {
  const { container } = render(<SourceText content={TABLE} quote={"Oslo | 200 euro\nBerlin | 140 euro"} />);
  expect(cited(container)).toEqual(["Oslo200 euro", "Berlin140 euro"]);
});

test("headings stand below those of the page, without gaps", () => {
  render(<SourceText content={"## One\n\n#### Two\n\n# Three"} quote="" />);
  expect(screen.getAllByRole("heading").map((heading) => heading.tagName)).toEqual(["H3", "H4", "H3"]);
});

test("it is said when a quote is not there", () => {
  const onMarked = vi.fn();
  const { container } = render(<SourceText content={TABLE} quote="Nothing that stands in this table" onMarked={onMarked} />);
  expect(cited(container)).toEqual([]);
  expect(onMarked).toHaveBeenLastCalledWith(false);
});

test("nothing of a source is loaded, run or linked to within the product", () => {
  const text = '<img src="https://x.example/a.png"><script>alert(1)</script>\n\n![map](https://x.example/b.png) [file](../secret) [js](javascript:alert(1)) [site](https://x.example/)';
  const { container } = render(<SourceText content={text} quote="" />);
  expect(container.querySelector("img, script")).toBeNull();
  expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual(["map (x.example)", "site"]);
});

test("a link to a file that is a document opens it, and others stay text", () => {
  const text = "See [settings](../settings.md), [nothing](gone.md) and [site](https://x.example/).";
  const documentOf = (link: string) => (link === "../settings.md" ? "7" : "");
  const { rerender } = render(<SourceText content={text} quote="" documentOf={documentOf} />);
  expect(screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["settings", "/documents/7"],
    ["site", "https://x.example/"],
  ]);
  expect(screen.getByRole("link", { name: "settings" }).getAttribute("target")).toBeNull();
  rerender(<SourceText content={text} quote="" />);
  expect(screen.getAllByRole("link")).toHaveLength(1);
});

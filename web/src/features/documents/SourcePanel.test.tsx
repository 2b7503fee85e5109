import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { SourcePanel } from "./SourcePanel";

const PAGE = { number: 2, title: "Leave", url: "https://example.org/leave", snippet: "Thirty days.", supported: true };

test("a web page shows what was read there, and leads to it", () => {
  renderInApp(<SourcePanel citation={PAGE} onClose={() => undefined} />);
  expect(screen.getByText("example.org")).toBeTruthy();
  expect(screen.getByText("Thirty days.")).toBeTruthy();
  const link = screen.getByRole("link", { name: "Open web page" });
  expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([PAGE.url, "noopener noreferrer nofollow"]);
});

test("an address that is no web page is no link", () => {
  renderInApp(<SourcePanel citation={{ ...PAGE, url: "javascript:alert(1)" }} onClose={() => undefined} />);
  expect(screen.queryByRole("link")).toBeNull();
});

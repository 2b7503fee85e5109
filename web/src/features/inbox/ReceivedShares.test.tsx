import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { ReceivedShares, useNewShares } from "./ReceivedShares";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Notices() {
  return <ReceivedShares shares={useNewShares()} />;
}

test("shares of the last two weeks are notices with a link, and older ones are not", async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const receivedShares = [
    { id: 4, title: "Annual leave", sharedBy: "Ann Archer", sharedAt: daysAgo(1) },
    { id: 3, title: "Hotels", sharedBy: "Ann Archer", sharedAt: daysAgo(15) },
  ];
  vi.stubGlobal("fetch", vi.fn(() => Promise.resolve(Response.json({ receivedShares }))));
  renderInApp(<Notices />);
  const notice = await screen.findByRole("link", { name: /Annual leave/u });
  expect(notice.getAttribute("href")).toBe("/received/4");
  expect(screen.getByText("Shared by Ann Archer")).toBeTruthy();
  expect(screen.queryByText("Hotels")).toBeNull();
});

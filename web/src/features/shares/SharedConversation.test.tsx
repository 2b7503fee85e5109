import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { SharedSessionJson } from "@/gen/echomind/public/v1/session_share_pb";
import { renderInApp } from "@/testing/render";
import { SharedConversation } from "./SharedConversation";

const PASSAGE = { sentenceStart: 0, sentenceEnd: 12, supported: true };
const SHARED: SharedSessionJson = {
  title: "Leave",
  messages: [
    { role: "MESSAGE_ROLE_USER", content: "How much?" },
    {
      role: "MESSAGE_ROLE_ASSISTANT",
      content: "Thirty days [1]. Perhaps more [2].",
      citations: [
        { number: 1, title: "Handbook", passages: [{ ...PASSAGE, page: 4, quote: "thirty days" }, { ...PASSAGE, page: 2, quote: "thirty days" }] },
        { number: 2, title: "Notes", passages: [{ sentenceStart: 17, sentenceEnd: 30 }] },
      ],
    },
  ],
};

test("a mark leads to its source, which has its pages and each quote once", async () => {
  renderInApp(<SharedConversation shared={SHARED} />);
  const [handbook, notes] = within(screen.getByRole("list", { name: "Sources" })).getAllByRole("listitem");
  expect(handbook?.textContent).toBe("1Handbook, pages 2, 4 thirty days");
  expect(notes?.textContent).toBe("2Notes Not supported by the source");
  await userEvent.click(await screen.findByRole("button", { name: /^Source 2: Notes/u }));
  expect(document.activeElement).toBe(notes);
});

test("who shared it is named only if the share says so", () => {
  renderInApp(<SharedConversation shared={SHARED} />);
  expect(screen.queryByText(/Shared by/u)).toBeNull();
  cleanup();
  renderInApp(<SharedConversation shared={{ ...SHARED, sharedBy: "Ann Archer" }} />);
  expect(screen.getByText(/Shared by Ann Archer/u)).toBeTruthy();
});

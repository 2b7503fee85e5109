import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderInApp } from "@/testing/render";
import { ConversationsProvider } from "../ConversationsProvider";
import { ConversationMenu } from "./ConversationMenu";

const names = async () => {
  await userEvent.click(await screen.findByRole("button", { name: "Actions for this conversation" }));
  return (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
};

test("begins with what people do most, before what experts do", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ id: 3 })));
  renderInApp(
    <ConversationsProvider>
      <ConversationMenu session={{ id: 5, userId: 3 }} />
    </ConversationsProvider>,
  );
  const found = await names();
  expect(found.slice(0, 5)).toEqual(["Rename", "Share", "Export", "Delete", "Fork conversation"]);
  expect(found.slice(-3)).toEqual(["Pin", "Archive", "Export as JSON"]);
});

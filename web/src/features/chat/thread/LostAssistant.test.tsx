import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { useAssistants } from "@/data/assistants";
import { renderInApp } from "@/testing/render";
import { LostAssistant } from "./LostAssistant";

const ASSISTANTS = [
  { id: 1, name: "Default", isDefault: true },
  { id: 2, name: "Clerk" },
];

function serve(preferences: Record<string, unknown> = {}) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", (url: string, { method = "GET", body }: RequestInit) => {
    if (method !== "GET") sent.push([method, url, body && JSON.parse(body as string)]);
    if (url.startsWith("/api/v1/assistants")) return Promise.resolve(Response.json({ assistants: ASSISTANTS }));
    return Promise.resolve(Response.json(url === "/api/v1/users/me" ? { id: 1, preferences } : {}));
  });
  return sent;
}

const withQueries = (children: React.ReactNode) =>
  renderInApp(children);

test("a conversation whose assistant was lost offers the others", async () => {
  const sent = serve();
  withQueries(<LostAssistant sessionKey="7" assistantId={9} />);
  await userEvent.selectOptions(await screen.findByLabelText("Assistant"), "Clerk");
  expect(sent).toEqual([["PATCH", "/api/v1/chat-sessions/7", { assistantId: 2 }]]);
});

function Usual() {
  const { assistant } = useAssistants(0);
  return <p>{assistant?.name}</p>;
}

test.each([
  [{}, "Default"],
  [{ defaultAssistantId: 2 }, "Clerk"],
  [{ defaultAssistantId: 9 }, "Default"],
])("new conversations with the preferences %j are with %s", async (preferences, name) => {
  serve(preferences);
  withQueries(<Usual />);
  expect(await screen.findByText(name)).toBeTruthy();
});

test("a conversation with an assistant that is there says nothing", async () => {
  serve();
  withQueries(
    <>
      <Usual />
      <LostAssistant sessionKey="7" assistantId={2} />
    </>,
  );
  await screen.findByText("Default");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByLabelText("Assistant")).toBeNull();
});

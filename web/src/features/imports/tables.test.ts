import { expect, test } from "vitest";
import { tableConversations, type TableConversation } from "./tables";

const tables = (name: string, text: string) => tableConversations(name, text)?.filter((each): each is TableConversation => !("conversationId" in each));
const texts = (name: string, text: string) => tables(name, text)?.map(({ messages }) => messages.map(({ content }) => content));

test("pairs of Onyx become conversations in their order", () => {
  const csv = [
    "\uFEFFchat_session_id,message_pair_num,user_message,ai_response,retrieved_documents,persona_name,time_created",
    `b,2,'=1+1,"It is ""2"",\nexactly",handbook.pdf,HR,2025-03-01`,
    "a,1,Who?,Ada,,HR,2025-03-01",
    "b,1,'quoted',,,HR,2025-03-01",
    "",
  ].join("\r\n");
  expect(texts("onyx.csv", csv)).toEqual([
    ["'quoted'", "…", "=1+1", 'It is "2",\nexactly\n\nhandbook.pdf'],
    ["Who?", "Ada"],
  ]);
  expect(tableConversations("onyx.csv", csv)?.[0]).toMatchObject({ source: "onyx", id: "b", model: "HR" });
});

test("rows of AnythingLLM are one conversation for each workspace and person", () => {
  const row = (id: number, workspace: string, prompt: string) => ({ id, workspace, username: "ada", prompt, response: `${prompt}!`, attachments: [1] });
  const found = tables("chats.json", JSON.stringify([row(1, "HR", "Leave"), row(2, "IT", "Mail"), row(3, "HR", "Pay")]));
  expect(found?.map(({ id, title }) => [id, title])).toEqual([
    ["HR:ada:1", "HR"],
    ["IT:ada:2", "IT"],
  ]);
  expect(found?.[0]?.messages.map(({ content, parent_id, omitted }) => [content, parent_id, omitted])).toEqual([
    ["Leave", "", 1],
    ["Leave!", "0", 0],
    ["Pay", "1", 1],
    ["Pay!", "2", 0],
  ]);
});

const ratings = (name: string, text: string) => tables(name, text)?.[0]?.messages.flatMap(({ role, rating }) => (role === "assistant" ? [rating ?? null] : []));

test("ratings are those of the files", () => {
  const onyx = ["chat_session_id,message_pair_num,user_message,ai_response,feedback_type,feedback_text,user_email", "a,1,Q,A,dislike,Wrong,ada@x.org", "a,2,Q,A,mixed,,ada@x.org", "a,3,Q,A,,,ada@x.org"].join("\n");
  expect(ratings("onyx.csv", onyx)).toEqual([{ is_positive: false, text: "Wrong", by: "ada@x.org" }, { is_positive: null, text: "", by: "ada@x.org" }, null]);
  expect(tables("onyx.csv", onyx)?.[0]?.metadata).toEqual({ user_email: "ada@x.org" });
  const row = (rating: string, attachments: string) => ({ id: 1, workspace: "HR", username: "unknown user", prompt: "Q", response: "A", rating, attachments });
  const chats = JSON.stringify([row("GOOD", "[]"), row("--", "[1, 2]"), row("BEST", "a.png")]);
  expect(ratings("chats.json", chats)).toEqual([{ is_positive: true, text: "", by: "" }, null, { is_positive: null, text: "", by: "" }]);
  expect(tables("chats.json", chats)?.[0]?.messages.filter(({ role }) => role === "user").map(({ omitted }) => omitted)).toEqual([0, 2, 1]);
});

test("lines of messages", () => {
  const messages = ["system", "user", "assistant"].map((role) => ({ role, content: role }));
  expect(texts("chats.jsonl", `${JSON.stringify({ messages })}\n\n`)).toEqual([["user", "assistant"]]);
  expect(() => tableConversations("chats.jsonl", '{"messages": []}\n{')).toThrow(/line 2/);
});

test("lines of LibreChat's database are left as they are", () => {
  const line = { conversationId: "c", user: "u1", email: "ada@example.org", messages: [{ messageId: "m", text: "Hi" }] };
  expect(tableConversations("librechat.jsonl", JSON.stringify(line))).toEqual([line]);
});

test("other files are left to the other reader, and other tables are explained", () => {
  expect(tableConversations("conversations.json", '[{"title": "A", "mapping": {"x": {"prompt": 1}}}]')).toBeUndefined();
  expect(() => tableConversations("a.csv", "one,two\n1,2")).toThrow(/rows of no known program/);
});

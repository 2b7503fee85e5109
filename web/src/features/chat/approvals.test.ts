import { expect, test } from "vitest";
import { approvalQuestion, changesElsewhere, hostsOf, riskOf } from "./approvals";
import { toolLabel } from "./tools";

test("tools have names for people, those of servers with their server", () => {
  expect(["fetch_web_page", "crm__send_mail", "look-up"].map(toolLabel)).toEqual(["Read web page", "Send mail (crm)", "Look up"]);
});

test("hosts are named once, wherever they stand in the parameters", () => {
  const parameters = { to: ["https://a.example/x?y=1", "https://a.example/z"], note: 'see "http://b.example:8080" there', id: 3 };
  expect(hostsOf(parameters)).toEqual(["a.example", "b.example:8080"]);
  expect(hostsOf(undefined)).toEqual([]);
});

test("an approval is asked for in words, not by the tool's name", () => {
  const page = { toolName: "fetch_web_page", parameters: { url: "https://example.com/a" } };
  expect(approvalQuestion([page])).toBe("Read a web page from example.com?");
  expect(approvalQuestion([{ toolName: "crm__send_mail", parameters: {} }])).toBe("Use “Send mail” of crm?");
  expect(approvalQuestion([{ toolName: "search_documents" }])).toBe("Use “Search documents”?");
  expect(approvalQuestion([page, page])).toBe("May the assistant do this?");
});

test("a call says what it does, by its kind and its parameters", () => {
  const url = { url: "https://example.com/a" };
  expect(riskOf({ toolName: "fetch_web_page", parameters: url })).toBe("Opens example.com. The URL is sent there.");
  expect(riskOf({ toolName: "crm__send", parameters: url })).toBe("Sends data to example.com.");
  expect(riskOf({ toolName: "crm__send", parameters: url, sideEffect: true })).toContain("may change something there");
  expect(riskOf({ toolName: "crm__delete", parameters: { id: 1 }, sideEffect: true })).toContain("outside EchoMind");
  expect(riskOf({ toolName: "crm__read", parameters: { id: 1 } })).toContain("to crm. It changes nothing");
  expect(riskOf({ toolName: "look_up", parameters: { id: 1 } })).toContain("Reads only");
  expect(riskOf({ toolName: "search_documents", parameters: { query: "https://example.com" } })).toContain("Stays within EchoMind");
  expect(changesElsewhere({ toolName: "remember", sideEffect: true })).toBe(false);
  expect(changesElsewhere({ toolName: "crm__delete", sideEffect: true })).toBe(true);
});

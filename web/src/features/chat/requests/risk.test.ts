import { expect, test } from "vitest";
import { hostsOf, riskOf } from "./risk";

test("hosts are named once, wherever they stand in the parameters", () => {
  const parameters = { to: ["https://a.example/x?y=1", "https://a.example/z"], note: 'see "http://b.example:8080" there', id: 3 };
  expect(hostsOf(parameters)).toEqual(["a.example", "b.example:8080"]);
  expect(hostsOf(undefined)).toEqual([]);
});

test("a call says what it does, by its kind and its parameters", () => {
  const url = { url: "https://example.com/a" };
  expect(riskOf({ toolName: "fetch_web_page", parameters: url })).toBe("Opens example.com. What the address says is sent there.");
  expect(riskOf({ toolName: "crm__send", parameters: url })).toBe("Sends data to example.com.");
  expect(riskOf({ toolName: "crm__send", parameters: url, sideEffect: true })).toContain("may change something there");
  expect(riskOf({ toolName: "crm__delete", parameters: { id: 1 }, sideEffect: true })).toContain("outside EchoMind");
  expect(riskOf({ toolName: "crm__read", parameters: { id: 1 } })).toContain("Reads only");
  expect(riskOf({ toolName: "search_documents", parameters: { query: "https://example.com" } })).toContain("Stays within EchoMind");
});

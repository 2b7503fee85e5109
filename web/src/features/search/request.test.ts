import { expect, test } from "vitest";
import { createdFrom } from "@/ui/ages";
import { requestOf } from "./request";

test("only what is wanted is asked for", () => {
  const nothing = { mode: "hybrid", type: "any", source: "", since: undefined, language: "any", notebook: "", folder: " " } as const;
  expect(requestOf({ ...nothing, q: "leave" })).toEqual({ query: "leave", limit: 50, mode: "SEARCH_MODE_HYBRID" });
  const since = createdFrom("week", new Date("2026-11-22T12:00:00Z"));
  expect(requestOf({ q: "leave", mode: "lexical", type: "pdf", source: "7", since, language: "de", notebook: "9", folder: "Contracts/2026" })).toEqual({
    query: "leave",
    limit: 50,
    mode: "SEARCH_MODE_LEXICAL",
    connectorIds: [7],
    contentTypes: ["application/pdf"],
    createdFrom: "2026-11-15T12:00:00.000Z",
    languages: ["de"],
    notebookId: "9",
    folder: "Contracts/2026",
  });
  expect(requestOf({ ...nothing, q: "leave", source: "nonsense" })).not.toHaveProperty("connectorIds");
});

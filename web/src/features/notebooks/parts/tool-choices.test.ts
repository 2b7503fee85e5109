import { expect, test } from "vitest";
import { choicesOf } from "./tool-choices";

const WEB = { name: "search_web", description: "Searches the web.\n\nCall it for news." };
const LIST = { name: "wiki__list", mcpServer: "wiki", description: "Lists pages." };
const READ = { name: "wiki__read", mcpServer: "wiki" };

test("own tools come first, then all tools of each server and each of them, then what is allowed but not available", () => {
  expect(choicesOf([READ, LIST, WEB], ["wiki__*", "mail__send"])).toEqual([
    { name: "search_web", about: "Searches the web." },
    { name: "wiki__*", about: "" },
    { name: "wiki__read", about: "" },
    { name: "wiki__list", about: "" },
    { name: "mail__send", about: "" },
  ]);
});

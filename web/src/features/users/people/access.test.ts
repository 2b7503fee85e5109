import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { reasonOf } from "./access";

test("reasons are said in words, with the group or connector", () => {
  i18n.load("en", {});
  i18n.activate("en");
  const say = i18n._.bind(i18n);
  expect(reasonOf(say, "connector", "group sales team")).toBe("For the group sales team");
  expect(reasonOf(say, "connector", "org")).toBe("For everyone");
  expect(reasonOf(say, "document", "connector 7")).toBe("From source 7");
  expect(reasonOf(say, "assistant", "")).toBe("For everyone");
  expect(reasonOf(say, "notebook", "editor")).toBe("Can edit");
});

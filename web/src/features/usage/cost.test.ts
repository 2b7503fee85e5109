// @vitest-environment jsdom
import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { costOf } from "./cost";

test("a cost without a known price is unknown, not nothing", () => {
  i18n.loadAndActivate({ locale: "en", messages: {} });
  expect(costOf({ promptTokens: "12", cost: 0 })).toBe("unknown");
  expect(costOf({ promptTokens: "12", cost: 0.5 })).toBe("$0.50");
  expect(costOf({})).toBe("$0.00");
  expect(costOf({ promptTokens: "12" }, { inputPrice: 0, outputPrice: 0 })).toBe("free");
});

import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { chooseLocale } from "./locale";

test("the language that was chosen last stays when the texts of an earlier one arrive", async () => {
  chooseLocale("de");
  chooseLocale("en");
  await import("@/locales/de");
  await new Promise((resolve) => setTimeout(resolve));
  expect(i18n.locale).toBe("en");
});

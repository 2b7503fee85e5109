import { i18n } from "@lingui/core";
import { afterEach, expect, test } from "vitest";
import { errorWords } from "./error-words";

afterEach(() => i18n.activate("en"));

test("in English the server's own text is shown", () => {
  expect(errorWords("RUN_ACTIVE", "The session's last question is still being answered.")).toBe("The session's last question is still being answered.");
});

test("in another language a reason is shown in it, with the server's text where that says more", async () => {
  const { messages } = await import("@/locales/de");
  i18n.loadAndActivate({ locale: "de", messages });
  expect(errorWords("RUN_ACTIVE", "It is still being answered.")).toMatch(/^Die letzte Frage/);
  expect(errorWords("FILE_REJECTED", "notes.xyz is empty.")).toBe("Die Datei wurde nicht angenommen. Der Server meldet: notes.xyz is empty.");
  expect(errorWords("", "HTTP 418")).toBe("HTTP 418");
});

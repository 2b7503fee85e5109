import { i18n } from "@lingui/core";
import { afterEach, expect, test, vi } from "vitest";
import { errorWords, warningWords } from "./error-words";

afterEach(() => i18n.activate("en"));

test("in English the server's own text is shown", () => {
  expect(errorWords("RUN_ACTIVE", "The session's last question is still being answered.")).toBe("The session's last question is still being answered.");
});

test("in another language a reason is shown in it, with the server's text where that says more", async () => {
  const { messages } = await import("@/locales/de");
  i18n.loadAndActivate({ locale: "de", messages });
  await vi.waitFor(() => expect(errorWords("RUN_ACTIVE", "")).not.toBe(""), { timeout: 10_000 });
  expect(errorWords("RUN_ACTIVE", "It is still being answered.")).toMatch(/^Die letzte Frage/);
  expect(errorWords("FILE_REJECTED", "notes.xyz is empty.")).toBe("Die Datei wurde nicht angenommen. Der Server meldet: notes.xyz is empty.");
  expect(errorWords("", "HTTP 418")).toBe("HTTP 418");
  expect(warningWords({ text: "Cut.", warning: { code: "WARNING_CODE_ANSWER_CUT_OFF" } })).toMatch(/^Die Antwort wurde/);
  expect(warningWords({ text: "Retry.", warning: { code: "WARNING_CODE_RUN_RETRIED", subject: "LLM_STREAM_BROKEN" } })).toMatch(/^Neuer Versuch: /);
  expect(warningWords({ text: "Slow." })).toBe("Slow.");
});

import { expect, test } from "vitest";
import { newTrial, withTrialEvent } from "./answer";

test("numbers are sources while the text streams, and after it was stopped", () => {
  const events = [
    { id: "1", runId: "r", queued: {} },
    { id: "2", runId: "r", sources: { sources: [{ number: 4, title: "Handbook", documentId: "9" }] } },
    { runId: "r", delta: { messageId: "12", offset: 0, text: "So it is [1].", citedSources: [4] } },
  ];
  const trial = events.reduce(withTrialEvent, newTrial("What?"));
  expect(trial.citations).toEqual([{ number: 1, title: "Handbook", documentId: "9", supported: true }]);
});

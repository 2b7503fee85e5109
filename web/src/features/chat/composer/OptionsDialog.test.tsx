import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { RunOptionsJson } from "@/gen/echomind/public/v1/run_pb";
import { renderInApp } from "@/testing/render";
import { limitsLabel, optionsAgain } from "./options";
import { OptionsDialog } from "./OptionsDialog";

function show(options: RunOptionsJson) {
  const onSave = vi.fn<(options: RunOptionsJson) => void>();
  renderInApp(<OptionsDialog options={options} onSave={onSave} onClose={vi.fn()} />);
  return onSave;
}

test("what is filled in is a limit, what is emptied is none, and the rest stays", async () => {
  const onSave = show({ autoRun: true, maxSteps: 4, timeoutSeconds: 60 });
  const filled = { "Max steps": "", "Max tokens": "5000", "Max cost (US dollars)": "0.25", "Max depth of sub-agents": "0" };
  for (const [label, value] of Object.entries(filled)) fireEvent.change(screen.getByLabelText(label), { target: { value } });
  await userEvent.selectOptions(screen.getByLabelText("Clarifying questions"), "No clarifying questions");
  await userEvent.click(screen.getByRole("button", { name: "Use" }));
  expect(onSave.mock.calls).toEqual([
    [{ autoRun: true, askClarifications: false, timeoutSeconds: 60, maxRunTokens: "5000", maxCost: 0.25, maxDepth: 0 }],
  ]);
});

test("those of a conversation keep its model, and wait for what is chosen", async () => {
  const onSave = vi.fn<(options: RunOptionsJson) => void>();
  renderInApp(<OptionsDialog isOfConversation options={{ llmId: 7, maxSteps: 0, maxRunTokens: "0", maxDepth: 0, waitStrategy: "WAIT_STRATEGY_UNSPECIFIED" }} onSave={onSave} onClose={vi.fn()} />);
  expect(screen.getByLabelText<HTMLInputElement>("Max steps").value).toBe("");
  await userEvent.selectOptions(screen.getByLabelText("Parallel calls"), "Wait for more than half");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(onSave.mock.calls).toEqual([[{ llmId: 7, maxDepth: 0, waitStrategy: "WAIT_STRATEGY_MAJORITY" }]]);
});

test("limits are summarized on one line", () => {
  expect(limitsLabel({ autoRun: true })).toBe("");
  expect(limitsLabel({ waitStrategy: "WAIT_STRATEGY_ANY" })).toBe("first success is enough");
  expect(limitsLabel({ maxSteps: 5, timeoutSeconds: 90, maxRunTokens: "5000", maxCost: 0.25, maxDepth: 0, askClarifications: true })).toBe(
    "5 steps · 1 min 30 s · 5,000 tokens · $0.25 · no sub-agents · clarifying questions",
  );
});

test("a question is asked again in the way of its run", () => {
  expect([optionsAgain(undefined), optionsAgain({}), optionsAgain({ autoRun: true, maxSteps: 3 })]).toEqual([
    {},
    { autoRun: false },
    { autoRun: true },
  ]);
});

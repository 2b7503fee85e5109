// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderInApp } from "@/testing/render";
import { AskOptions } from "./AskOptions";

test.each([
  { isExtractive: false, isAutoRun: false, isDisabled: false },
  { isExtractive: true, isAutoRun: false, isDisabled: true },
  { isExtractive: true, isAutoRun: true, isDisabled: false },
])("agent mode with extractive $isExtractive and on $isAutoRun", ({ isDisabled, ...props }) => {
  renderInApp(<AskOptions {...props} onAutoRunChange={() => {}} options={{}} onOpenLimits={() => {}} />);
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Agent mode" });
  expect(button.disabled).toBe(isDisabled);
  expect(button.title !== "").toBe(props.isExtractive);
});

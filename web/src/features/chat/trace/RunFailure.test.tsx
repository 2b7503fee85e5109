import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { RunErrorJson, RunJson } from "@/gen/echomind/public/v1/run_pb";
import { renderInApp } from "@/testing/render";
import { RunSteps } from "./RunSteps";

const MESSAGE = "The model does not answer.";

/** Shows the trace of a failed run with a failed sub-agent. */
function showTrace(error: RunErrorJson) {
  const failed = { status: "RUN_STATUS_FAILED" as const, chatSessionId: 1 };
  const runs: RunJson[] = [
    { ...failed, id: "root", error },
    { ...failed, id: "child", parentRunId: "root", goal: "Read", error: { message: "No steps are left." } },
  ];
  vi.stubGlobal("fetch", (url: string) => Promise.resolve(Response.json(url.endsWith("/tree") ? { runs } : {})));
  renderInApp(<RunSteps runId="root" />);
}

test("the trace of a failed run says why, with the detail that only superadmins get", async () => {
  showTrace({ reason: "LLM_UNAVAILABLE", message: MESSAGE, detail: "http://10.0.0.7:8000 refused the connection" });
  const notice = within((await screen.findByText(MESSAGE)).closest<HTMLElement>("[role=alert]") as HTMLElement);
  expect(notice.getByText("http://10.0.0.7:8000 refused the connection")).toBeTruthy();
  expect(await screen.findByText("No steps are left.")).toBeTruthy();
});

test("without a detail there is nothing to open", async () => {
  showTrace({ message: MESSAGE });
  expect(await screen.findByText(MESSAGE)).toBeTruthy();
  expect(screen.queryByText("Details for administrators")).toBeNull();
});

import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ApiError } from "@/api/http";
import { importChatSession } from "@/gen/echomind/public/v1/import_service_client";
import { renderInApp } from "@/testing/render";
import { ImportPage } from "./ImportPage";

vi.mock("@/gen/echomind/public/v1/import_service_client", () => ({ importChatSession: vi.fn() }));
const imported = vi.mocked(importChatSession);

afterEach(() => {
  cleanup();
  imported.mockReset();
});

function choose(...files: File[]) {
  renderInApp(<ImportPage />);
  fireEvent.change(screen.getByLabelText("Exported files"), { target: { files } });
}

const file = (content: unknown, name = "conversations.json") => new File([typeof content === "string" ? content : JSON.stringify(content)], name);

test("each conversation of a file is imported as it is, and counted", async () => {
  imported.mockResolvedValueOnce({ isNew: true, omittedParts: 2 }).mockResolvedValueOnce({});
  choose(file([{ title: "A" }, { title: "B" }]));
  expect(await screen.findByText(/1 conversation imported\. 1 was imported before\. 2 parts that are not text were left out/)).toBeTruthy();
  expect(imported.mock.calls.map(([{ content }]) => content)).toEqual(['{"title":"A"}', '{"title":"B"}']);
});

test("the report counts ratings and steps", async () => {
  imported.mockResolvedValueOnce({ isNew: true, ratings: 2, omittedRatings: 1, mergedSteps: 3 });
  choose(file([{ title: "A" }]));
  const report = await screen.findByText(/1 conversation imported/);
  expect(report.textContent).toMatch(/2 ratings of answers are yours now\. 1 rating was left out: .* 3 steps are together in the last steps of their runs\./);
});

test("what is no conversation is named, and the others are imported", async () => {
  imported.mockRejectedValueOnce(new ApiError(400, "INVALID_ARGUMENT", "VALIDATION_FAILED", "It has no text.")).mockResolvedValueOnce({ isNew: true });
  choose(file([{ title: "Empty" }, { title: "B" }]), file("PK", "export.zip"));
  expect(await screen.findByText(/1 conversation imported/)).toBeTruthy();
  const items = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(items[0]).toBe("Empty: It has no text.");
  expect(items[1]).toMatch(/^export\.zip: export\.zip is not a JSON file\./);
});

test("without the server the rest of a file is not tried", async () => {
  imported.mockRejectedValue(new ApiError(503, "UNAVAILABLE", "DEPENDENCY_UNAVAILABLE", "Try again."));
  choose(file([{ title: "A" }, { title: "B" }]));
  expect(await screen.findByText(/1 could not be imported/)).toBeTruthy();
  expect(imported).toHaveBeenCalledTimes(1);
});

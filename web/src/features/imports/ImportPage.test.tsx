import { QueryClient } from "@tanstack/react-query";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ApiError } from "@/api/http";
import { userKeys } from "@/data/users";
import { importChatSession, importUserChatSession } from "@/gen/echomind/public/v1/import_service_client";
import { renderInApp } from "@/testing/render";
import { ImportPage } from "./ImportPage";

vi.mock("@/gen/echomind/public/v1/import_service_client", () => ({ importChatSession: vi.fn(), importUserChatSession: vi.fn() }));
const imported = vi.mocked(importChatSession);
const given = vi.mocked(importUserChatSession);

afterEach(() => {
  cleanup();
  imported.mockReset();
  given.mockReset();
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

test("a superadmin imports for the people of the other program, and sees who has no account", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(userKeys.current, { roles: ["ROLE_SUPERADMIN"] });
  renderInApp(<ImportPage />, client);
  fireEvent.click(screen.getByLabelText("For the people of the other program"));
  const people = file("ID,Email\nu1,ada@example.org\nu2,bob@example.org\n", "people.csv");
  fireEvent.change(screen.getByLabelText(/^Addresses of these people/), { target: { files: [people] } });
  given.mockImplementation(({ email }) => {
    if (email === "bob@example.org") throw new ApiError(404, "NOT_FOUND", "NOT_FOUND", "No active account.", { resource: "user" });
    return Promise.resolve({ isNew: true, ratings: 1 });
  });
  const conversations = ["u1", "u2", "u2", "u3", ""].map((user_id) => ({ title: "A", user_id }));
  fireEvent.change(screen.getByLabelText("Exported files"), { target: { files: [file(conversations)] } });
  expect(await screen.findByText(/1 conversation imported\. .*1 rating of an answer is its person's now\./)).toBeTruthy();
  expect(given.mock.calls.map(([{ email }]) => email)).toEqual(["ada@example.org", "bob@example.org"]);
  expect(imported).not.toHaveBeenCalled();
  expect(screen.getByRole("heading", { level: 2 }).textContent).toBe("4 belong to nobody here");
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "u2 (bob@example.org): 2 conversations. No active account has this address, verified.",
    "u3: 1 conversation. The address is not known: choose a file of addresses.",
    "No person: 1 conversation. The file names nobody.",
  ]);
});

test("what one person lacks leaves the others their conversations", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(userKeys.current, { roles: ["ROLE_SUPERADMIN"] });
  renderInApp(<ImportPage />, client);
  fireEvent.click(screen.getByLabelText("For the people of the other program"));
  given.mockImplementation(({ email }) => {
    if (email === "ada@example.org") throw new ApiError(404, "NOT_FOUND", "NOT_FOUND", "No assistant.", { resource: "assistant" });
    return Promise.resolve({ isNew: true });
  });
  const conversations = ["ada", "bob"].map((name) => ({ title: name, email: `${name}@example.org` }));
  fireEvent.change(screen.getByLabelText("Exported files"), { target: { files: [file(conversations)] } });
  expect(await screen.findByText(/1 conversation imported/)).toBeTruthy();
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["ada: No assistant."]);
});

test("an assistant that the caller lacks ends their own import", async () => {
  imported.mockRejectedValue(new ApiError(404, "NOT_FOUND", "NOT_FOUND", "No assistant.", { resource: "assistant" }));
  choose(file([{ title: "A" }, { title: "B" }]));
  expect(await screen.findByText(/1 could not be imported/)).toBeTruthy();
  expect(imported).toHaveBeenCalledTimes(1);
});

test("others import for themselves alone", () => {
  const client = new QueryClient();
  client.setQueryData(userKeys.current, { roles: ["ROLE_ADMIN"] });
  renderInApp(<ImportPage />, client);
  expect(screen.queryByRole("checkbox")).toBeNull();
});

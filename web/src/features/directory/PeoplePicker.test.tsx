import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import type { Recipient } from "@/data/directory";
import { renderInApp } from "@/testing/render";
import { PeoplePicker } from "./PeoplePicker";

const PEOPLE = [
  { userId: 2, userName: "ann", name: "Ann Archer" },
  { userId: 3, userName: "anton" },
];
const GROUPS = [{ groupId: 7, name: "analysts", memberCount: 1 }];

const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal("fetch", (url: string) => {
    const query = new URL(url, location.origin).searchParams.get("query") ?? "";
    asked.push(query);
    const people = PEOPLE.filter(({ userName }) => userName.includes(query));
    return Promise.resolve(Response.json({ people, groups: GROUPS.filter(({ name }) => name.includes(query)) }));
  });
});

function Example({ withGroups = false, excluded = () => false }: { withGroups?: boolean; excluded?: (recipient: Recipient) => boolean }) {
  const [value, setValue] = useState<Recipient[]>([]);
  return (
    <>
      <PeoplePicker value={value} onChange={setValue} withGroups={withGroups} excluded={excluded} />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}

const chosen = () => JSON.parse(screen.getByRole("status", { name: "" }).textContent) as Recipient[];

test("several people and groups are chosen from what is found, and removed again", async () => {
  renderInApp(<Example withGroups />);
  expect(asked).toEqual([]);
  await userEvent.type(screen.getByLabelText("People and groups"), "an");
  await userEvent.click(await screen.findByLabelText(/analysts/u));
  await userEvent.click(screen.getByLabelText(/Ann Archer/u));
  expect(chosen()).toEqual([
    { kind: "group", id: 7, name: "analysts", displayName: "", memberCount: 1 },
    { kind: "person", id: 2, name: "Ann Archer", userName: "ann" },
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Remove analysts" }));
  expect(chosen()).toEqual([{ kind: "person", id: 2, name: "Ann Archer", userName: "ann" }]);
});

test("enter chooses the only match", async () => {
  renderInApp(<Example />);
  const field = screen.getByLabelText<HTMLInputElement>("People");
  await userEvent.type(field, "anto");
  await screen.findByLabelText("anton");
  await userEvent.keyboard("{Enter}");
  expect(chosen().map(({ id }) => id)).toEqual([3]);
  expect(field.value).toBe("");
});

test("those who are there already are not offered, nor groups unless asked for", async () => {
  renderInApp(<Example excluded={({ id }) => id === 2} />);
  await userEvent.type(screen.getByLabelText("People"), "an");
  await screen.findByLabelText("anton");
  expect(screen.queryByLabelText(/Ann Archer/u)).toBeNull();
  expect(screen.queryByLabelText(/analysts/u)).toBeNull();
});

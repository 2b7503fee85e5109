import { expect, test, vi } from "vitest";
import { joined, matching, type Command } from "./commands";

const command = (group: string, label: string): Command => ({ group, key: label, label, run: vi.fn() });

const COMMANDS = [
  command("Pages", "Administration › People"),
  command("Pages", "Über EchoMind"),
  command("Conversations", "Trip to people's park"),
  command("Actions", "Theme: Dark"),
];

const labels = (query: string) => matching(COMMANDS, query).map(({ name, commands }) => [name, ...commands.map(({ label }) => label)]);

test("all words count, in any order, without case and accents", () => {
  expect(labels("people admin")).toEqual([["Pages", "Administration › People"]]);
  expect(labels("uber")).toEqual([["Pages", "Über EchoMind"]]);
  expect(labels("nothing")).toEqual([]);
});

test("without a query all is offered, by kind", () => {
  expect(labels("").map(([name]) => name)).toEqual(["Pages", "Conversations", "Actions"]);
});

test("labels with a word that begins so come first", () => {
  const commands = ["Undark", "Dark"].map((label) => command("Actions", label));
  expect(matching(commands, "dark")[0]?.commands.map(({ label }) => label)).toEqual(["Dark", "Undark"]);
});

test("what the server finds comes behind what is known, once", () => {
  const known = matching(COMMANDS, "people");
  const further = [command("Conversations", "Trip to people's park"), command("Conversations", "Meetup"), command("Documents", "Search")];
  expect(joined(known, further).map(({ name, commands }) => [name, ...commands.map(({ label }) => label)])).toEqual([
    ["Pages", "Administration › People"],
    ["Conversations", "Trip to people's park", "Meetup"],
    ["Documents", "Search"],
  ]);
});

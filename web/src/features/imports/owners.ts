/**
 * Whose the conversations of another program's installation are, by the e-mail addresses of its people.
 *
 * The command line finds them in the same way (`echomind/cli/programs/owners.py`): the tests of both read
 * `tests/fixtures/exports`.
 */
import { t } from "@lingui/core/macro";
import { rowsOf } from "./csv";

/** The owner of a conversation. */
export interface Owner {
  /** What the other program calls them; empty if the conversation names nobody. */
  name: string;
  /** Their address; empty if it is not known. */
  email: string;
}

/** Addresses by what the conversations call people; apart, as somebody may have chosen another person's id as their name. */
export interface Addresses {
  byId: ReadonlyMap<string, string>;
  byUserName: ReadonlyMap<string, string>;
}

/** Columns by which a file of people may name them, as the conversations do: by an id that the program has given. */
const IDS: readonly string[] = ["id", "user_id", "user"];
/** The column of the name that people may have chosen themselves. */
const USER_NAME = "username";
const EMAIL = "email";

/** The addresses of nobody. */
export const NO_ADDRESSES: Addresses = { byId: new Map(), byUserName: new Map() };

/**
 * The addresses in a CSV file with the columns `email` and `id` or `username`.
 *
 * @throws {Error} It has no such columns, or names two people alike; the message is for the user.
 */
export function addressesIn(name: string, text: string): Addresses {
  const found = { byId: new Map<string, string>(), byUserName: new Map<string, string>() };
  const rows = rowsOf(text.replace(/^\uFEFF/, "")).map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column.trim().toLowerCase(), String(value).trim()])));
  const [first = {}] = rows;
  const kinds = [...IDS.map((column) => [column, found.byId] as const), [USER_NAME, found.byUserName] as const].filter(([column]) => column in first);
  if (!(EMAIL in first) || kinds.length === 0) throw new Error(t`${name} needs the columns email and id or username in its first line.`);
  for (const row of rows) {
    const email = row[EMAIL] ?? "";
    for (const [column, emails] of kinds) {
      const person = row[column];
      if (!person) continue;
      const before = emails.get(person.toLowerCase()) ?? email;
      if (before.toLowerCase() !== email.toLowerCase()) throw new Error(t`${name} has ${person} for two people: remove the line that is wrong, or the conversations of one could go to the other.`);
      emails.set(person.toLowerCase(), email);
    }
  }
  return found;
}

/** The owner of a conversation, as a file has it. */
export function ownerOf(content: string, addresses: Addresses): Owner {
  const value: unknown = JSON.parse(content);
  if (!isObject(value)) return { name: "", email: "" };
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  const ids = textsOf(value["user_id"], value["user"]);
  const userNames = textsOf(metadata["username"]);
  const stated = textsOf(value[EMAIL], metadata["user_email"]);
  const names = [...ids, ...userNames];
  const mapped = [...ids.map((id) => addresses.byId.get(id.toLowerCase())), ...userNames.map((each) => addresses.byUserName.get(each.toLowerCase()))];
  // A stated address is the program's own word; a name that is an address may be chosen by anybody.
  const email = stated.find(isEmail) ?? mapped.find(Boolean) ?? names.find(isEmail) ?? "";
  return { name: names[0] ?? stated[0] ?? "", email };
}

function textsOf(...values: readonly unknown[]): string[] {
  return values.flatMap((each) => (typeof each === "string" && each.trim() ? [each.trim()] : []));
}

function isEmail(text: string): boolean {
  return text.includes("@");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

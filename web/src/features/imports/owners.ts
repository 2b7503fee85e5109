/**
 * Whose the conversations of another program's installation are, by the e-mail addresses of its people.
 *
 * The command line finds them in the same way (`echomind/cli/programs/owners.py`).
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

/** Addresses by the names that the conversations have for people. */
export type Addresses = ReadonlyMap<string, string>;

/** Columns by which a file of people may name them, as the conversations do. */
const IDS: readonly string[] = ["id", "user_id", "user", "username"];
const EMAIL = "email";

/**
 * The addresses in a CSV file with the columns `email` and `id` or `username`.
 *
 * @throws {Error} It has no such columns; the message is for the user.
 */
export function addressesIn(name: string, text: string): Addresses {
  const found = new Map<string, string>();
  const rows = rowsOf(text.replace(/^\uFEFF/, "")).map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column.trim().toLowerCase(), String(value).trim()])));
  const [first = {}] = rows;
  if (!(EMAIL in first) || !IDS.some((column) => column in first)) throw new Error(t`${name} needs the columns email and id or username in its first line.`);
  for (const row of rows) for (const column of IDS) if (row[column]) found.set(row[column].toLowerCase(), row[EMAIL] ?? "");
  return found;
}

/** The owner of a conversation, as a file has it. */
export function ownerOf(content: string, addresses: Addresses): Owner {
  const value: unknown = JSON.parse(content);
  if (!isObject(value)) return { name: "", email: "" };
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  const stated = [value[EMAIL], metadata["user_email"]];
  const known = [value["user_id"], value["user"], metadata["username"], ...stated].flatMap((each) => (typeof each === "string" && each.trim() ? [each.trim()] : []));
  const found = known.map((each) => addresses.get(each.toLowerCase())).find(Boolean);
  return { name: known[0] ?? "", email: found ?? known.findLast((each) => each.includes("@")) ?? "" };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads files that other programs export. */
import { t } from "@lingui/core/macro";
import { tableConversations } from "./tables";

/** A conversation of an export, as it is in the file. */
export interface Exported {
  title: string;
  content: string;
}

/**
 * The conversations of a file: of a list, or the only one.
 *
 * @throws {Error} It is not JSON; the message is for the user.
 */
export async function readExport(file: File): Promise<Exported[]> {
  const text = await file.text();
  const rows = tableConversations(file.name, text);
  if (rows) return rows.map((conversation) => ({ title: titleOf(conversation), content: JSON.stringify(conversation) }));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(t`${file.name} is not a JSON file. If it is a ZIP archive, unpack it and choose its conversations.json.`);
  }
  const conversations: readonly unknown[] = Array.isArray(value) ? value : [value];
  return conversations.map((conversation) => ({ title: titleOf(conversation), content: JSON.stringify(conversation) }));
}

function titleOf(conversation: unknown): string {
  const { title, id }: { title?: unknown; id?: unknown } = typeof conversation === "object" && conversation !== null ? conversation : {};
  return [title, id].find((each): each is string => typeof each === "string" && each !== "") ?? t`(no title)`;
}

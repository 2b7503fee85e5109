/**
 * Files with a row for each answer, as Onyx (CSV) and AnythingLLM (CSV, JSON, JSON lines) export them.
 *
 * The command line reads them in the same way (`echomind/cli/programs/tables.py`), with the same ids, so that what was
 * imported there is known here: the tests of both read `tests/fixtures/exports`.
 */
import { t } from "@lingui/core/macro";
import { rowsOf, type Row } from "./csv";

/** A conversation in the form that the server takes from programs without a tree of messages. */
export interface TableConversation {
  source: "onyx" | "anythingllm";
  id: string;
  title: string;
  model: string;
  messages: TableMessage[];
  /** What else the file has of the conversation. */
  metadata?: Readonly<Record<string, string>>;
}

/** A conversation of a line, as LibreChat's database has it, which the server reads. */
export interface LibreChatConversation extends Row {
  conversationId: string;
}

interface TableMessage {
  id: string;
  parent_id: string;
  role: "user" | "assistant";
  content: unknown;
  created_at?: unknown;
  omitted?: number;
  /** Null is neither helpful nor unhelpful; `by` is empty if the file names nobody. */
  rating?: { is_positive: boolean | null; text: string; by: string };
}

/** Onyx writes an apostrophe before a cell that a spreadsheet would calculate. */
const FORMULA = /^'(?=[=+\-@\t\r])/;
const NO_TEXT = "…";
const ONYX_RATINGS: Readonly<Record<string, boolean>> = { like: true, dislike: false };
const ANYTHING_RATINGS: Readonly<Record<string, boolean>> = { GOOD: true, BAD: false };
/** What AnythingLLM writes for the person of an installation without accounts. */
const NOBODY = "unknown user";

/**
 * The conversations of a file; undefined if it is no file of these programs.
 *
 * @throws {Error} It is one that cannot be read; the message is for the user.
 */
export function tableConversations(name: string, text: string): (TableConversation | LibreChatConversation)[] | undefined {
  const plain = text.replace(/^\uFEFF/, "");
  if (/\.csv$/i.test(name)) return ofRows(rowsOf(plain), name);
  if (/\.jsonl$/i.test(name)) return ofLines(plain, name);
  if (!/^\s*\[\s*\{[^{}[\]]*?"prompt"\s*:/.test(plain.slice(0, 4096))) return undefined;
  let rows: unknown;
  try {
    rows = JSON.parse(plain);
  } catch {
    return undefined; // what it is instead is said by whoever reads JSON
  }
  return ofRows(Array.isArray(rows) ? rows.filter(isRow) : [], name);
}

function ofRows(rows: readonly Row[], name: string): TableConversation[] {
  const columns = rows[0] ?? {};
  if ("chat_session_id" in columns && "user_message" in columns && "ai_response" in columns) return onyx(rows);
  if ("prompt" in columns && "response" in columns) return anythingLlm(rows);
  throw new Error(t`${name} has rows of no known program. Onyx has the columns chat_session_id, user_message and ai_response; AnythingLLM has prompt and response.`);
}

function onyx(rows: readonly Row[]): TableConversation[] {
  const numberOf = (row: Row) => (/^\d+$/.test(cell(row, "message_pair_num")) ? Number(cell(row, "message_pair_num")) : 0);
  return groups(rows, (row) => cell(row, "chat_session_id")).map(([id, given]) => {
    const pairs = given.toSorted((a, b) => numberOf(a) - numberOf(b));
    const messages: TableMessage[] = [];
    for (const row of pairs) {
      const documents = cell(row, "retrieved_documents");
      // As text, because the documents are not here.
      addPair(messages, cell(row, "user_message"), cell(row, "ai_response") + (documents ? `\n\n${documents}` : ""), cell(row, "time_created"), 0);
      const [kind, text] = [cell(row, "feedback_type").trim().toLowerCase(), cell(row, "feedback_text")];
      if (kind || text) rate(messages, ONYX_RATINGS[kind], text, cell(row, "user_email"));
    }
    const first = pairs[0] ?? {};
    return withMetadata({ source: "onyx", id, title: "", model: cell(first, "persona_name"), messages }, first, ["user_email", "flow_type"]);
  });
}

function anythingLlm(rows: readonly Row[]): TableConversation[] {
  return groups(rows, (row) => JSON.stringify([cell(row, "workspace"), cell(row, "username")])).map(([, pairs]) => {
    const first = pairs[0] ?? {};
    const messages: TableMessage[] = [];
    for (const row of pairs) {
      addPair(messages, cell(row, "prompt"), cell(row, "response"), row["sent_at"], attachments(row["attachments"]));
      const [rating, person] = [cell(row, "rating").trim().toUpperCase(), cell(row, "username")];
      if (rating && rating !== "--") rate(messages, ANYTHING_RATINGS[rating], "", person === NOBODY ? "" : person);
    }
    // A later export has the rows of an earlier one, and more: the id comes from what both have.
    return withMetadata({ source: "anythingllm", id: ["workspace", "username", "id"].map((column) => cell(first, column)).join(":"), title: cell(first, "workspace"), model: "", messages }, first, ["workspace", "username"]);
  });
}

function ofLines(text: string, name: string): (TableConversation | LibreChatConversation)[] {
  return text.split("\n").flatMap((line, index): (TableConversation | LibreChatConversation)[] => {
    if (!line.trim()) return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = undefined;
    }
    if (isRow(value) && isOfLibreChat(value)) return [value];
    const given = isRow(value) ? value["messages"] : undefined;
    const number = index + 1;
    if (!Array.isArray(given)) throw new Error(t`${name}, line ${number}, is no JSON object with a list of messages.`);
    const messages: TableMessage[] = [];
    for (const message of given.filter(isRow)) {
      const role = message["role"];
      if (role !== "user" && role !== "assistant") continue;
      messages.push({ id: String(messages.length), parent_id: messages.at(-1)?.id ?? "", role, content: message["content"] });
    }
    const omitted = given.length - messages.length;
    if (messages[0] && omitted > 0) messages[0].omitted = omitted;
    return [{ source: "anythingllm", id: "", title: "", model: "", messages }];
  });
}

function addPair(messages: TableMessage[], question: string, answer: string, time: unknown, omitted: number) {
  for (const [role, content] of [["user", question], ["assistant", answer]] as const) {
    const above = messages.at(-1)?.id ?? "";
    messages.push({ id: String(messages.length), parent_id: above, role, content: content || NO_TEXT, created_at: time, omitted: role === "user" ? omitted : 0 });
  }
}

/** Adds the rating of the last answer. */
function rate(messages: readonly TableMessage[], isPositive: boolean | undefined, text: string, by: string) {
  const answer = messages.at(-1);
  if (answer) answer.rating = { is_positive: isPositive ?? null, text, by };
}

/** The number of attachments: a list, which CSV has as JSON. */
function attachments(value: unknown): number {
  if (typeof value !== "string" || !value.trim()) return Array.isArray(value) ? value.length : 0;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.length : 0;
  } catch {
    return 1;
  }
}

function withMetadata(conversation: TableConversation, row: Row, columns: readonly string[]): TableConversation {
  const found = columns.flatMap((column) => (cell(row, column) ? [[column, cell(row, column)] as const] : []));
  return found.length > 0 ? { ...conversation, metadata: Object.fromEntries(found) } : conversation;
}

function groups(rows: readonly Row[], nameOf: (row: Row) => string): [string, Row[]][] {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(nameOf(row), [...(found.get(nameOf(row)) ?? []), row]);
  return [...found];
}

function cell(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === "string") return value.replace(FORMULA, "");
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOfLibreChat(value: Row): value is LibreChatConversation {
  return typeof value["conversationId"] === "string";
}

/** Usage as a file of comma-separated values. */
import type { UsageJson } from "@/gen/echomind/public/v1/usage_pb";

const COLUMNS = ["day", "id", "name", "kind", "questions", "failedQuestions", "activeUsers", "promptTokens", "completionTokens", "cost"] as const;

/** Returns the usage as CSV with a line of names, see RFC 4180. Names that a spreadsheet would calculate are quoted for it. */
export function csvOf(usage: readonly UsageJson[]): string {
  const lines = usage.map((row) => COLUMNS.map((column) => cell(String(row[column] ?? (column === "day" || column === "name" || column === "kind" ? "" : 0)))).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** Saves usage under a name. */
export function saveCsv(name: string, usage: readonly UsageJson[]): void {
  const url = URL.createObjectURL(new Blob([csvOf(usage)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function cell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

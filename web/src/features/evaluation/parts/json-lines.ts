/** Questions of a dataset as JSON lines, one object a line; the command line reads and writes the same. */
import type { EvaluationCaseJson } from "@/gen/echomind/public/v1/evaluation_pb";

const LISTS = ["documents", "passages", "facts"] as const;
const FIELDS = ["question", ...LISTS, "answer"] as const;

/** Why a file was not read, and in which line. */
export interface BadLine {
  line: number;
  problem: "json" | "question" | "field";
  /** The field that is unknown or has a wrong value. */
  field?: string;
}

/** The questions of a file, or what is wrong with it. */
export function readJsonLines(text: string): { cases: EvaluationCaseJson[] } | { bad: BadLine } {
  const cases: EvaluationCaseJson[] = [];
  for (const [index, content] of text.split("\n").entries()) {
    if (!content.trim()) continue;
    const line = index + 1;
    let read: unknown;
    try {
      read = JSON.parse(content);
    } catch {
      return { bad: { line, problem: "json" } };
    }
    const given = typeof read === "object" && read !== null ? (read as Record<string, unknown>) : {};
    if (typeof given.question !== "string" || !given.question.trim()) return { bad: { line, problem: "question" } };
    const wrong = Object.entries(given).find(([name, value]) => !isValid(name, value));
    if (wrong) return { bad: { line, problem: "field", field: wrong[0] } };
    cases.push(given);
  }
  return { cases };
}

/** The questions as a file, without what is empty. */
export function writeJsonLines(cases: readonly EvaluationCaseJson[]): string {
  return cases.map((one) => `${JSON.stringify(Object.fromEntries(FIELDS.filter((name) => one[name]?.length).map((name) => [name, one[name]])))}\n`).join("");
}

function isValid(name: string, value: unknown): boolean {
  if ((LISTS as readonly string[]).includes(name)) return Array.isArray(value) && value.every((each) => typeof each === "string");
  return (FIELDS as readonly string[]).includes(name) && typeof value === "string";
}

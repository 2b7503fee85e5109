/** What an editor can allow a notebook besides its sources. */
import type { ToolInfoJson } from "@/gen/echomind/public/v1/assistant_pb";

/** A tool, or all tools of an MCP server. */
export interface Choice {
  name: string;
  /** What it does; empty if unknown, and for all tools of a server. */
  about: string;
}

/** Returns what can be chosen: own tools, for each MCP server all of its tools and each, and what is allowed already. */
export function choicesOf(tools: readonly ToolInfoJson[], allowed: readonly string[]): Choice[] {
  const choices: Choice[] = [];
  const sorted = tools.toSorted((one, other) => (one.mcpServer ?? "").localeCompare(other.mcpServer ?? ""));
  for (const { name = "", mcpServer = "", description = "" } of sorted) {
    const all = `${mcpServer}__*`;
    if (mcpServer && !choices.some((choice) => choice.name === all)) choices.push({ name: all, about: "" });
    choices.push({ name, about: mcpServer ? "" : (description.split("\n\n")[0] ?? "") });
  }
  const others = allowed.filter((name) => !choices.some((choice) => choice.name === name));
  return [...choices, ...others.map((name) => ({ name, about: "" }))];
}

/** Describes the risk of a tool call, to decide on its approval. */
import { t } from "@lingui/core/macro";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";

/** Tools of EchoMind that reach nothing outside it, whatever they are called with. */
const INSIDE = new Set<string | undefined>([
  "search_documents",
  "read_document",
  "calculator",
  "current_time",
  "days_between",
  "ask_user",
  "write_todos",
  "update_todo",
  "spawn_sub_agent",
  "call_in_parallel",
]);
/** Tools of EchoMind that only fetch what an address names. */
const FETCHING = new Set<string | undefined>(["fetch_web_page"]);
const ADDRESS = /https?:\/\/[^\s"'<>]+/gi;

/** The hosts that a call's parameters name, each once. */
export function hostsOf(value: unknown): string[] {
  const hosts = [...JSON.stringify(value ?? {}).matchAll(ADDRESS)].map(([address]) => {
    try {
      return new URL(address.replaceAll("\\", "")).host;
    } catch {
      // Not an address after all, such as one with a placeholder for its port.
      return "";
    }
  });
  return [...new Set(hosts.filter(Boolean))];
}

/** Effect of a call, if it is approved. */
export function riskOf({ toolName = "", parameters, sideEffect }: Pick<ToolCallJson, "toolName" | "parameters" | "sideEffect">): string {
  const hosts = hostsOf(parameters).join(", ");
  if (INSIDE.has(toolName)) return t`Stays within EchoMind. It sends nothing elsewhere.`;
  if (FETCHING.has(toolName)) return hosts ? t`Opens ${hosts}. What the address says is sent there.` : t`Opens a web page.`;
  if (hosts) return sideEffect ? t`Sends data to ${hosts} and may change something there.` : t`Sends data to ${hosts}.`;
  if (sideEffect) return t`May change something outside EchoMind. It cannot be undone here.`;
  return t`Reads only. It changes nothing outside EchoMind.`;
}

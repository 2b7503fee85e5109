/** Describes tool calls and their risk, to decide on their approval. */
import { t } from "@lingui/core/macro";
import { isOwnTool, partsOf, readable, toolLabel } from "@/features/chat/tools";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";

/** The fields of a call that describe its effect. */
export type AskedCall = Pick<ToolCallJson, "toolName" | "parameters" | "sideEffect">;

/** The built-in tools with access to the internet. */
const FETCHING = "fetch_web_page";
const SEARCHING = "search_web";
const ADDRESS = /https?:\/\/[^\s"'<>]+/gi;

/** The question to approve calls. */
export function approvalQuestion(calls: readonly AskedCall[]): string {
  const [call] = calls;
  if (!call || calls.length > 1) return t`May the assistant do this?`;
  const { toolName = "", parameters } = call;
  const [host] = hostsOf(parameters);
  if (toolName === FETCHING) return host ? t`Read a web page from ${host}?` : t`Read a web page?`;
  if (toolName === SEARCHING) return t`Search the web?`;
  const { server, tool } = partsOf(toolName);
  return server ? t`Use “${readable(tool)}” of ${server}?` : t`Use “${toolLabel(toolName)}”?`;
}

/** Whether a call may change something outside EchoMind. */
export function changesElsewhere({ toolName = "", sideEffect }: AskedCall): boolean {
  return Boolean(sideEffect) && !isOwnTool(toolName);
}

/** Effect of a call, if it is approved. */
export function riskOf({ toolName = "", parameters, sideEffect }: AskedCall): string {
  const hosts = hostsOf(parameters).join(", ");
  if (toolName === FETCHING) return hosts ? t`Opens ${hosts}. The URL is sent there.` : t`Opens a web page.`;
  if (toolName === SEARCHING) return t`Sends the query to the search engine.`;
  if (isOwnTool(toolName)) return t`Stays within EchoMind. It sends nothing elsewhere.`;
  if (hosts) return sideEffect ? t`Sends data to ${hosts} and may change something there.` : t`Sends data to ${hosts}.`;
  if (sideEffect) return t`May change something outside EchoMind. It cannot be undone here.`;
  const { server } = partsOf(toolName);
  return server ? t`Sends its parameters to ${server}. It changes nothing there.` : t`Reads only. It changes nothing outside EchoMind.`;
}

/** The hosts that a call's parameters name, each once. */
export function hostsOf(value: unknown): string[] {
  const hosts = [...JSON.stringify(value ?? {}).matchAll(ADDRESS)].map(([address]) => {
    try {
      return new URL(address.replaceAll("\\", "")).host;
    } catch {
      // Not a valid URL, such as one with a placeholder for its port.
      return "";
    }
  });
  return [...new Set(hosts.filter(Boolean))];
}

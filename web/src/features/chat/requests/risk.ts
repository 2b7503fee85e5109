/** What a tool call may do to the world, in words: what is to be judged before it is approved. */
import { t } from "@lingui/core/macro";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";

/** Tools of EchoMind that only fetch what an address names. */
const FETCHING = new Set<string | undefined>(["web_fetch"]);
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

/** What a call does, when it is approved. */
export function riskOf({ toolName = "", parameters, sideEffect }: Pick<ToolCallJson, "toolName" | "parameters" | "sideEffect">): string {
  const hosts = hostsOf(parameters).join(", ");
  if (FETCHING.has(toolName)) return hosts ? t`Opens ${hosts}. What the address says is sent there.` : t`Opens a web page.`;
  if (hosts) return sideEffect ? t`Sends data to ${hosts} and may change something there.` : t`Sends data to ${hosts}.`;
  if (sideEffect) return t`May change something outside EchoMind. It cannot be undone here.`;
  return t`Reads only. It changes nothing outside EchoMind.`;
}

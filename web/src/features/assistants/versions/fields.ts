/** Labels of the fields in which versions differ, and the format of their values. */
import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AssistantChangeJson } from "@/gen/echomind/public/v1/assistant_pb";

const NAMES: Record<string, MessageDescriptor> = {
  name: msg`Name`,
  description: msg`Description`,
  llmId: msg`Model`,
  systemPrompt: msg`Instructions`,
  taskPrompt: msg`Question template`,
  starterMessages: msg`Conversation starters`,
  isDefault: msg`The default for new conversations`,
  isVisible: msg`Visible to people`,
  displayPriority: msg`Place in lists`,
  "config.tools": msg`Tools`,
  "config.approvalTools": msg`Needs approval`,
  "config.addHistoryToContext": msg`Knows the earlier conversation`,
  "config.numHistoryRuns": msg`Earlier answers in a prompt`,
  "config.maxSteps": msg`Max steps`,
  "config.timeoutSeconds": msg`Max seconds`,
  "config.maxRunTokens": msg`Max tokens`,
  "config.maxCost": msg`Max cost in US dollars`,
  "config.maxDepth": msg`Depth of sub-agents`,
  "config.askClarifications": msg`Clarifying questions`,
  "config.waitStrategy": msg`Waits for parallel calls`,
  "config.summarizeAfterTokens": msg`Summarize after tokens`,
};

/** Returns the label of a field by its path. */
export function nameOf(field: string, i18n: I18n): string {
  const [, server, part] = /^config\.mcpServers\.([^.]+)\.(.+)$/.exec(field) ?? [];
  if (server && part) return i18n._(msg`MCP server ${server}: ${part}`);
  const known = NAMES[field];
  return known ? i18n._(known) : field;
}

/** Returns a value before or after a change as text; empty for none. */
export function textOf({ field = "" }: AssistantChangeJson, value: unknown, i18n: I18n, models: ReadonlyMap<number, string>): string {
  if (value === undefined || value === null) return "";
  if (field === "llmId") return models.get(Number(value)) ?? i18n._(msg`A removed model`);
  if (typeof value === "boolean") return value ? i18n._(msg`Yes`) : i18n._(msg`No`);
  if (Array.isArray(value)) return value.map(String).join("\n");
  if (typeof value === "string") return value.replace(/^WAIT_STRATEGY_(\w+)$/, (_, word: string) => word.toLowerCase());
  return JSON.stringify(value);
}

/** The values of an assistant as its form has them: texts of numbers, empty for the default; starters a line each. */
import type { AssistantConfigJson, AssistantJson, AssistantMemberJson, McpServerJson, TeamModeJson } from "@/gen/echomind/public/v1/assistant_pb";
import { linesOf } from "./lines";

export interface AssistantValues {
  name: string;
  description: string;
  llmId: number;
  systemPrompt: string;
  taskPrompt: string;
  starters: string;
  isVisible: boolean;
  /** Names of the groups whose members see it while it is visible; empty for everyone. */
  groups: readonly string[];
  isDefault: boolean;
  displayPriority: string;
  /** Names of the tools that it has; empty for all. */
  tools: readonly string[];
  approvalTools: readonly string[];
  askClarifications: boolean;
  knowsHistory: boolean;
  numHistoryRuns: string;
  maxSteps: string;
  timeoutSeconds: string;
  maxRunTokens: string;
  maxCost: string;
  maxDepth: string;
  summarizeAfterTokens: string;
  mcpServers: readonly McpServerJson[];
  /** The team that it leads, in its order. */
  members: readonly AssistantMemberJson[];
  teamMode: TeamModeJson;
}

const text = (value: number | string | undefined) => (Number(value ?? 0) ? String(value) : "");

/** Returns the values of an assistant. */
export function valuesOf(assistant: AssistantJson): AssistantValues {
  const config: AssistantConfigJson = assistant.config ?? {};
  return {
    name: assistant.name ?? "",
    description: assistant.description ?? "",
    llmId: assistant.llmId ?? 0,
    systemPrompt: assistant.systemPrompt ?? "",
    taskPrompt: assistant.taskPrompt ?? "",
    starters: (assistant.starterMessages ?? []).join("\n"),
    isVisible: assistant.isVisible ?? false,
    groups: assistant.groups ?? [],
    isDefault: assistant.isDefault ?? false,
    displayPriority: text(assistant.displayPriority),
    tools: config.tools ?? [],
    approvalTools: config.approvalTools ?? [],
    askClarifications: config.askClarifications ?? false,
    knowsHistory: config.addHistoryToContext ?? true,
    numHistoryRuns: text(config.numHistoryRuns),
    maxSteps: text(config.maxSteps),
    timeoutSeconds: text(config.timeoutSeconds),
    maxRunTokens: text(config.maxRunTokens),
    maxCost: text(Number(config.maxCost ?? 0)),
    maxDepth: config.maxDepth === undefined ? "" : String(config.maxDepth),
    summarizeAfterTokens: text(config.summarizeAfterTokens),
    mcpServers: config.mcpServers ?? [],
    members: assistant.members ?? [],
    teamMode: config.teamMode ?? "TEAM_MODE_UNSPECIFIED",
  };
}

/** Returns the assistant with all of these values; fields that are not in the form keep their stored values. */
export function assistantOfValues(values: AssistantValues, stored: AssistantJson): AssistantJson {
  const config: AssistantConfigJson = {
    ...stored.config,
    tools: [...values.tools],
    approvalTools: [...values.approvalTools],
    askClarifications: values.askClarifications,
    addHistoryToContext: values.knowsHistory,
    numHistoryRuns: Number(values.numHistoryRuns),
    maxSteps: Number(values.maxSteps),
    timeoutSeconds: Number(values.timeoutSeconds),
    maxRunTokens: String(Number(values.maxRunTokens)),
    maxCost: Number(values.maxCost),
    summarizeAfterTokens: Number(values.summarizeAfterTokens),
    mcpServers: values.mcpServers.map((server) => ({ ...server })),
    teamMode: values.teamMode,
  };
  if (values.maxDepth === "") delete config.maxDepth;
  else config.maxDepth = Number(values.maxDepth);
  return {
    name: values.name.trim(),
    description: values.description.trim(),
    llmId: values.llmId,
    systemPrompt: values.systemPrompt,
    taskPrompt: values.taskPrompt,
    starterMessages: linesOf(values.starters),
    isVisible: values.isVisible,
    groups: [...values.groups],
    isDefault: values.isDefault,
    displayPriority: Number(values.displayPriority),
    members: values.members.map(({ assistantId, role, version }) => ({ assistantId, role, version })),
    config,
  };
}

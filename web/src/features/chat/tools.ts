/** Display names of tools. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { serverWords } from "@/api/error-words";
import type { ToolCallJson } from "@/gen/echomind/public/v1/step_pb";

/** EchoMind's own tools. */
const TOOLS: Readonly<Record<string, MessageDescriptor>> = {
  ask_user: msg`Ask you`,
  calculator: msg`Calculator`,
  call_in_parallel: msg`Call in parallel`,
  current_time: msg`Current time`,
  days_between: msg`Days between`,
  delegate_task: msg`Delegate a task`,
  fetch_web_page: msg`Read web page`,
  finish_goal: msg`Finish goal`,
  forget: msg`Forget`,
  read_document: msg`Read document`,
  remember: msg`Remember`,
  search_documents: msg`Search documents`,
  search_knowledge: msg`Search knowledge`,
  search_memory: msg`Search memory`,
  search_web: msg`Search the web`,
  spawn_sub_agent: msg`Start a sub-agent`,
  update_todo: msg`Update a todo`,
  write_todos: msg`Plan todos`,
};
/** How the error of a call begins that breaks the rules of its tool. */
const WRONG_ARGUMENTS = /^The arguments of \S+ are not valid/;
/** Between the names of an MCP server and of its tool. */
const OF_SERVER = "__";

/** Display name of a tool: translated for EchoMind's own, otherwise from its name, `hub__list_files` as `List files (hub)`. */
export function toolLabel(name: string): string {
  const known = TOOLS[name];
  if (known) return i18n._(known);
  const { server, tool } = partsOf(name);
  return server ? `${readable(tool)} (${server})` : readable(tool);
}

/** The MCP server that a tool is of, empty for none, and its own name. */
export function partsOf(name: string): { server: string; tool: string } {
  const at = name.indexOf(OF_SERVER);
  return at > 0 ? { server: name.slice(0, at), tool: name.slice(at + OF_SERVER.length) } : { server: "", tool: name };
}

/** The name of a tool as words. */
export function readable(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether a tool is EchoMind's own. */
export function isOwnTool(name: string): boolean {
  return name in TOOLS;
}

/** Why a call failed. What the model was told about its arguments is for the model, and stands in its next prompt. */
export function callFailure(message = ""): string {
  return WRONG_ARGUMENTS.test(message) ? t`The assistant used it wrongly and was told why.` : serverWords(message);
}

/** What a call returned, or why it failed. */
export function callResult({ result = "", errorMessage = "" }: Pick<ToolCallJson, "result" | "errorMessage">): string {
  return WRONG_ARGUMENTS.test(result) ? callFailure(result) : result || callFailure(errorMessage);
}

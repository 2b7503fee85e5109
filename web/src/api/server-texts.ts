/** Texts of the server's errors and warnings in languages other than English; loaded when one of them is chosen. */
import { t } from "@lingui/core/macro";
import type { WarningCodeJson } from "@/gen/echomind/public/v1/session_event_pb";
import { inGerman } from "./server-sentences";

/** Message of a reason by itself. */
const WHOLE: Partial<Record<string, () => string>> = {
  ALREADY_EXISTS: () => t`This name or value is already in use. Choose another one.`,
  AMBIGUOUS_INPUT: () => t`Several runs of this conversation wait for an answer. Answer each of them separately.`,
  ASSISTANT_UNAVAILABLE: () => t`This conversation's assistant is no longer available. Choose another one to continue.`,
  DEPENDENCY_UNAVAILABLE: () => t`A part of EchoMind does not answer. Try again in a moment.`,
  DISK_FULL: () => t`The server's disk is full. Try again when there is space.`,
  DOCUMENT_NOT_READY: () => t`The document is not indexed yet.`,
  GROUP_REQUIRED: () => t`Choose a group of which you are a member.`,
  INVALID_PAGE_TOKEN: () => t`The list has changed. Reload it.`,
  EMPTY_ANSWER: () => t`The model returned an empty answer.`,
  INTERRUPTED: () => t`The run was interrupted too often. Ask again.`,
  LLM_AUTH_FAILED: () => t`The model's server does not accept its API key. A superadmin can enter another one.`,
  LLM_CONTENT_FILTERED: () => t`The model's provider withheld the question or the answer.`,
  LLM_CONTEXT_TOO_LONG: () => t`The question with its context is too long for the model.`,
  LLM_QUOTA_EXHAUSTED: () => t`The account at the model's provider has no credit.`,
  LLM_RATE_LIMITED: () => t`The model's provider has too many requests for now. Try again in a moment.`,
  LLM_STREAM_BROKEN: () => t`The model's answer was cut off, or cannot be read.`,
  MAX_COST: () => t`The run reached its cost limit.`,
  MAX_STEPS: () => t`The run reached its step limit without an answer.`,
  MAX_TOKENS: () => t`The run reached its token limit.`,
  NOT_FOUND: () => t`This was not found. It may have been deleted, or it is not shared with you.`,
  NOTEBOOK_EMPTY: () => t`This notebook has no sources to answer from. Add a source, and ask again.`,
  NOTEBOOK_NOT_READY: () => t`The sources of this notebook are still being read. Ask again when one is ready.`,
  NOTEBOOK_UNREADABLE: () =>
    t`You may read none of this notebook's sources, or none could be read, so it cannot answer. Ask its owner to give you access to one.`,
  OVERLOADED: () => t`Too many requests at once. Try again in a moment.`,
  QUOTA_EXCEEDED: () => t`A quota is used up. Under Settings, Account you see how much is left and when it renews.`,
  QUESTION_TOO_LONG: () => t`The question is too long for the model.`,
  RUN_ACTIVE: () => t`The last question of this conversation is still being answered. Wait for the answer, or stop it.`,
  TIMEOUT: () => t`The run reached its time limit.`,
};

/** General message of a reason; the server's own text has the rest. */
const GENERAL: Partial<Record<string, () => string>> = {
  AUTH_MODE: () => t`This is not possible with the sign-in method of this installation.`,
  CONNECTOR_TYPE_UNAVAILABLE: () => t`This kind of connector cannot be added here.`,
  DATA_REJECTED: () => t`Something could not be stored.`,
  ENDPOINT_REFUSED: () => t`This address cannot be used.`,
  FILE_REJECTED: () => t`The file was not accepted.`,
  INTERNAL: () => t`EchoMind has an internal error.`,
  LLM_UNAVAILABLE: () => t`No chat model is available for this now.`,
  PERMISSION_DENIED: () => t`You do not have the permission for this.`,
  RUN_STATE: () => t`The state of the run does not allow this.`,
  UNAUTHENTICATED: () => t`You are not signed in, or the sign-in failed.`,
  VALIDATION_FAILED: () => t`The input is not valid.`,
};

/** Message of a warning by its code, from its subject and the server's text. */
const WARNINGS: Partial<Record<WarningCodeJson, (subject: string, text: string) => string>> = {
  WARNING_CODE_ANSWER_CUT_OFF: () => t`The answer was cut off at the model's token limit.`,
  WARNING_CODE_PRICE_UNKNOWN: () => t`The price of this model is not known, so the cost limit does not apply to it.`,
  WARNING_CODE_MCP_SERVER_UNAVAILABLE: (server) => t`The MCP server ${server} is not available.`,
  WARNING_CODE_MCP_SECRETS_UNREADABLE: (server) => t`The stored secrets of the MCP server ${server} cannot be read. Enter them again.`,
  WARNING_CODE_TOOL_UNUSABLE: (tool) => t`The tool ${tool} cannot be used.`,
  WARNING_CODE_TOOL_MISSING: (tool) => t`There is no tool ${tool}.`,
  WARNING_CODE_RUN_RETRIED: (reason, text) => t`Retrying: ${errorText(reason, text)}`,
  WARNING_CODE_QUOTA_NEARLY_USED: () => t`A quota is nearly used up. Under Settings, Account you see how much is left and when it renews.`,
  WARNING_CODE_NOT_SUMMARIZED: () => t`Earlier messages could not be summarized.`,
};

/** The text of an error by its reason, with the server's text if that has details, or if the reason is unknown. */
export function errorText(reason: string, english: string): string {
  const message = inGerman(english);
  const whole = WHOLE[reason]?.();
  if (whole) return message === english ? whole : message;
  const general = GENERAL[reason]?.();
  return general ? t`${general} The server says: ${message}` : message;
}

/** A warning by its code; the server's text where that is not known. */
export function warningText(code: WarningCodeJson | undefined, subject: string, text: string): string {
  const words = code && WARNINGS[code];
  return words ? words(subject, text) : inGerman(text);
}

export { inGerman };

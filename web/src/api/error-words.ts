/** Translations of the server's errors. The server itself writes in English. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";

/** Message of a reason by itself. */
const WHOLE: Partial<Record<string, () => string>> = {
  ALREADY_EXISTS: () => t`This name or value is already in use. Choose another one.`,
  AMBIGUOUS_INPUT: () => t`Several runs of this conversation wait for an answer. Answer each of them separately.`,
  ASSISTANT_UNAVAILABLE: () => t`This conversation's assistant is no longer available. Choose another one to continue.`,
  DEPENDENCY_UNAVAILABLE: () => t`A part of EchoMind does not answer. Try again in a moment.`,
  DISK_FULL: () => t`The server's disk is full. Try again when there is room.`,
  DOCUMENT_NOT_READY: () => t`The document is not indexed yet.`,
  GROUP_REQUIRED: () => t`Choose a group of which you are a member.`,
  INVALID_PAGE_TOKEN: () => t`The list has changed. Load it again.`,
  LLM_UNAVAILABLE: () => t`No chat model is available for this. Connect a model, or choose another assistant.`,
  NOT_FOUND: () => t`This was not found. It may have been deleted, or it is not shared with you.`,
  OVERLOADED: () => t`Too many requests at once. Try again in a moment.`,
  RUN_ACTIVE: () => t`The last question of this conversation is still being answered. Wait for the answer, or stop it.`,
};

/** General message of a reason; the server's own text has the rest. */
const GENERAL: Partial<Record<string, () => string>> = {
  AUTH_MODE: () => t`This does not fit the way in which people sign in here.`,
  CONNECTOR_TYPE_UNAVAILABLE: () => t`This kind of source cannot be added here.`,
  DATA_REJECTED: () => t`Something could not be stored.`,
  ENDPOINT_REFUSED: () => t`This address cannot be used.`,
  FILE_REJECTED: () => t`The file was not accepted.`,
  INTERNAL: () => t`EchoMind has an internal error.`,
  PERMISSION_DENIED: () => t`You do not have the permission for this.`,
  RUN_STATE: () => t`The state of the run does not allow this.`,
  UNAUTHENTICATED: () => t`You are not signed in, or the sign-in failed.`,
  VALIDATION_FAILED: () => t`The input is not valid.`,
};

/**
 * The text of an error of the server for people.
 *
 * @param reason Its name in the catalogue, `error_reason.proto`.
 * @param message The server's text in English, which is shown where the catalogue's reason does not say enough.
 */
export function errorWords(reason: string, message: string): string {
  if (i18n.locale === "en") return message;
  const whole = WHOLE[reason]?.();
  if (whole) return whole;
  const general = GENERAL[reason]?.();
  return general ? t`${general} The server says: ${message}` : message;
}

// Generated from echomind/public/v1/import_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { ImportChatSessionRequestJson, ImportChatSessionResponseJson, ImportUserChatSessionRequestJson } from "./import_service_pb.js";

/**
 * Imports one conversation of an export of ChatGPT, Open WebUI or LibreChat for the caller, with its branches and
 * the times of its messages; or one that a client has read of a file of Onyx or AnythingLLM, or of a database of
 * traces, whose runs and steps are imported too. Ratings of answers become the caller's, unless the file names
 * another person. Its texts are untrusted: the questions have an unknown author, and nothing is learned from them.
 * A conversation that the caller has imported before and not removed is left as it is. Errors: VALIDATION_FAILED
 * (it is not a conversation of these programs, or has no text), NOT_FOUND (there is no assistant that the caller
 * may use).
 */
export const importChatSession = /* @__PURE__ */ call<ImportChatSessionRequestJson, ImportChatSessionResponseJson>("POST", "/api/v1/chat-sessions:import", "*");

/**
 * Imports one conversation as ImportChatSession does, for the person whose verified e-mail address is given: so
 * whoever moves another program's installation here brings each conversation to its person, who alone has it then.
 * Ratings become that person's, unless the file names another one. What the person has removed stays removed. Needs
 * `superadmin`; a key needs the scope `administer`; audited. Errors: those of ImportChatSession for that person,
 * PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`), NOT_FOUND (metadata `resource`: `user`; no
 * active account of a person has the address, or it is not verified).
 */
export const importUserChatSession = /* @__PURE__ */ call<ImportUserChatSessionRequestJson, ImportChatSessionResponseJson>("POST", "/api/v1/chat-sessions:importForUser", "*");

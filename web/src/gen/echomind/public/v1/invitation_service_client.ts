// Generated from echomind/public/v1/invitation_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { CreateInvitationRequestJson, CreateInvitationResponseJson, DeleteInvitationRequestJson, ListInvitationsRequestJson, ListInvitationsResponseJson } from "./invitation_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists invitations, newest first, without their links. Needs `admin`. */
export const listInvitations = /* @__PURE__ */ call<ListInvitationsRequestJson, ListInvitationsResponseJson>("GET", "/api/v1/invitations");

/**
 * Creates an invitation. Its link is returned by this call only, and works once. Needs `superadmin`; a key needs the
 * scope `administer` and no expiry. Errors: ALREADY_EXISTS (an account has the e-mail address), AUTH_MODE,
 * PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED.
 */
export const createInvitation = /* @__PURE__ */ call<CreateInvitationRequestJson, CreateInvitationResponseJson>("POST", "/api/v1/invitations", "invitation");

/**
 * Deletes an invitation: its link stops working immediately. An account that was created with it stays. Needs
 * `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const deleteInvitation = /* @__PURE__ */ call<DeleteInvitationRequestJson, EmptyJson, "id">("DELETE", "/api/v1/invitations/{id}");

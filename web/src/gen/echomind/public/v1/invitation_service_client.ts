// Generated from echomind/public/v1/invitation_service.proto by tools/typescript_client.py. Do not edit.

import { call } from "@/api/call";
import type { CreateInvitationRequestJson, CreateInvitationResponseJson, DeleteInvitationRequestJson, ListInvitationsRequestJson, ListInvitationsResponseJson } from "./invitation_service_pb.js";
import type { EmptyJson } from "@bufbuild/protobuf/wkt";

/** Lists invitations, the newest first, without their links. Needs `admin`. */
export const listInvitations = /* @__PURE__ */ call<ListInvitationsRequestJson, ListInvitationsResponseJson>("GET", "/api/v1/invitations");

/**
 * Makes an invitation. Its link is in this answer and never again, and works once. Needs `superadmin`, and with a key
 * the scope `administer` and no expiry.
 * Errors: ALREADY_EXISTS (an account has the e-mail address), AUTH_MODE, PERMISSION_DENIED (metadata `required`:
 * `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED.
 */
export const createInvitation = /* @__PURE__ */ call<CreateInvitationRequestJson, CreateInvitationResponseJson>("POST", "/api/v1/invitations", "invitation");

/**
 * Removes an invitation: its link stops working at once. An account that was created by it stays. Needs `superadmin`,
 * and with a key the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED.
 */
export const deleteInvitation = /* @__PURE__ */ call<DeleteInvitationRequestJson, EmptyJson, "id">("DELETE", "/api/v1/invitations/{id}");

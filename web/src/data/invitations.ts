/** Queries and mutations of invitations. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { InvitationJson } from "@/gen/echomind/public/v1/invitation_pb";
import { createInvitation, deleteInvitation, listInvitations } from "@/gen/echomind/public/v1/invitation_service_client";
import { changesOf } from "./changes";

const LIST = ["invitations"] as const;

/** Invitations, the newest first; for admins. */
export const invitationsQuery = infiniteQueryOptions(pagedQuery(LIST, listInvitations, { pageSize: 100 }));

const useChange = changesOf(LIST);

/** Creates an invitation; its link is returned only once. */
export function useCreateInvitation() {
  return useChange((invitation: InvitationJson) => createInvitation({ invitation }));
}

/** Removes an invitation, whose link then stops working. */
export function useDeleteInvitation() {
  return useChange((id: number) => deleteInvitation({ id }));
}

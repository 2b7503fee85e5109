/** Queries and mutations of invitations. */
import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { InvitationJson } from "@/gen/echomind/public/v1/invitation_pb";
import { createInvitation, deleteInvitation, listInvitations } from "@/gen/echomind/public/v1/invitation_service_client";

const LIST = ["invitations"] as const;

/** Invitations, the newest first; for admins. */
export const invitationsQuery = infiniteQueryOptions(pagedQuery(LIST, listInvitations, { pageSize: 100 }));

/** Creates an invitation; its link is returned only once. */
export function useCreateInvitation() {
  return useChange((invitation: InvitationJson) => createInvitation({ invitation }));
}

/** Removes an invitation, whose link then stops working. */
export function useDeleteInvitation() {
  return useChange((id: number) => deleteInvitation({ id }));
}

function useChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: LIST }) });
}

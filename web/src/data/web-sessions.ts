/** The browsers in which the reader is signed in. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import { deleteOtherWebSessions, deleteWebSession, listWebSessions } from "@/gen/echomind/public/v1/web_session_service_client";

const LIST = ["web-sessions"] as const;

/** All of the reader's sessions, the newest first. */
export const webSessionsQuery = queryOptions({
  queryKey: LIST,
  queryFn: ({ signal }) => readAll(listWebSessions, "webSessions", {}, signal),
});

/** Signs one browser out. */
export function useDeleteWebSession() {
  return useChange((id: string) => deleteWebSession({ id }));
}

/** Signs all browsers out but this one. */
export function useDeleteOtherWebSessions() {
  return useChange(() => deleteOtherWebSessions({}));
}

function useChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: LIST }) });
}

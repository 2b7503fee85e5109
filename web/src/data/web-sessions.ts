/** The browsers in which the reader is signed in. */
import { queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import { deleteOtherWebSessions, deleteWebSession, listWebSessions } from "@/gen/echomind/public/v1/web_session_service_client";
import { changesOf } from "./changes";

const LIST = ["web-sessions"] as const;

/** All of the reader's sessions, the newest first. */
export const webSessionsQuery = queryOptions({
  queryKey: LIST,
  queryFn: ({ signal }) => readAll(listWebSessions, "webSessions", {}, signal),
});

const useChange = changesOf(LIST);

/** Signs one browser out. */
export function useDeleteWebSession() {
  return useChange((id: string) => deleteWebSession({ id }));
}

/** Signs all browsers out but this one. */
export function useDeleteOtherWebSessions() {
  return useChange(() => deleteOtherWebSessions({}));
}

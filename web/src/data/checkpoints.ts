/** Queries and mutations of the checkpoints of a chat session. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import {
  createCheckpoint,
  deleteCheckpoint,
  listCheckpoints,
  restoreCheckpoint,
} from "@/gen/echomind/public/v1/checkpoint_service_client";
import { sessionKeys, useSessionChange } from "./sessions";

/** Query keys of checkpoints. */
export const checkpointKeys = {
  ofSession: (session: string) => [...sessionKeys.whole(session), "checkpoints"] as const,
};

/** A session's checkpoints, newest first. */
export const checkpointsQuery = (session: string) =>
  pagedQuery(checkpointKeys.ofSession(session), listCheckpoints, { chatSessionId: session });

/** Creates a checkpoint of a session; the server names it if the name is empty. */
export function useCreateCheckpoint(session: string) {
  return useCheckpointChange(session, (name: string) => createCheckpoint({ chatSessionId: session, checkpoint: { name } }));
}

/** Removes a checkpoint. */
export function useDeleteCheckpoint(session: string) {
  return useCheckpointChange(session, (id: string) => deleteCheckpoint({ id }));
}

/** Restores a session to a checkpoint. */
export function useRestoreCheckpoint(session: string) {
  return useSessionChange(session, (id: string) => restoreCheckpoint({ id }));
}

/** A change of the list of checkpoints, which is read again, also after a failure. */
function useCheckpointChange<Values, Result>(session: string, change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: checkpointKeys.ofSession(session) }),
  });
}

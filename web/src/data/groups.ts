/** Groups of people. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { GroupJson } from "@/gen/echomind/public/v1/group_pb";
import { addGroupMembers, createGroup, deleteGroup, getGroup, listGroups, removeGroupMembers, updateGroup } from "@/gen/echomind/public/v1/group_service_client";
import { userKeys } from "./users";

const KEYS = { all: ["groups"] as const, list: ["groups", "list"] as const };

/** All groups by name; for admins. */
export const groupsQuery = queryOptions({
  queryKey: KEYS.list,
  queryFn: ({ signal }) => readAll(listGroups, "groups", {}, signal),
});

/** One group; for admins. */
export function groupQuery(id: string) {
  return queryOptions({ queryKey: [...KEYS.all, id], queryFn: ({ signal }) => getGroup({ id }, { signal }) });
}

/** Creates a group, or changes the description of the one with this id. */
export function useSaveGroup() {
  return useChange(({ id, name, description }: GroupJson) =>
    id ? updateGroup({ id, group: { description: description ?? "" } }) : createGroup({ group: { name: name ?? "", description: description ?? "" } }),
  );
}

/** Removes a group. */
export function useDeleteGroup() {
  return useChange((id: number) => deleteGroup({ id }));
}

/** Adds people to a group, or removes them. */
export function useChangeMembers() {
  return useChange(({ id, userIds, isMember }: { id: number; userIds: number[]; isMember: boolean }) =>
    isMember ? addGroupMembers({ id, userIds }) : removeGroupMembers({ id, userIds }),
  );
}

function useChange<Values, Result>(change: (values: Values) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([KEYS.all, userKeys.list, userKeys.current].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Groups of people. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { readAll } from "@/api/pages";
import type { GroupJson } from "@/gen/echomind/public/v1/group_pb";
import type { AddGroupMembersRequestJson } from "@/gen/echomind/public/v1/group_service_pb";
import { addGroupMembers, createGroup, deleteGroup, getGroup, listGroupMembers, listGroups, removeGroupMembers, setGroupAdmin, updateGroup } from "@/gen/echomind/public/v1/group_service_client";
import { changesOf } from "./changes";
import { userKeys } from "./users";

const KEYS = { all: ["groups"] as const, list: ["groups", "list"] as const };

/** Groups by name: all for admins, otherwise those that the user is an admin of. */
export const groupsQuery = queryOptions({
  queryKey: KEYS.list,
  queryFn: ({ signal }) => readAll(listGroups, "groups", {}, signal),
});

/** One group; for admins, and for admins of the group. */
export function groupQuery(id: string) {
  return queryOptions({ queryKey: [...KEYS.all, id], queryFn: ({ signal }) => getGroup({ id }, { signal }) });
}

/** The members of a group, by user name. */
export function groupMembersQuery(id: number) {
  return infiniteQueryOptions({
    queryKey: [...KEYS.all, id, "members"],
    queryFn: ({ pageParam, signal }) => listGroupMembers({ id, pageSize: 100, pageToken: pageParam }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
  });
}

/** The name that is shown of a group. */
export function groupName({ name = "", displayName }: { name?: string; displayName?: string }): string {
  return displayName || name;
}

const useChange = changesOf(KEYS.all, userKeys.list, userKeys.current);

/** Creates a group, or changes display name and description of the one with this id. */
export function useSaveGroup() {
  return useChange(({ id, name = "", displayName = "", description = "" }: GroupJson) =>
    id ? updateGroup({ id, group: { displayName, description } }) : createGroup({ group: { name, displayName, description } }),
  );
}

/** Makes members admins of their group, or plain members. */
export function useSetGroupAdmin() {
  return useChange(setGroupAdmin);
}

/** Removes a group. */
export function useDeleteGroup() {
  return useChange((id: number) => deleteGroup({ id }));
}

/** Adds people to a group, or removes them. */
export function useChangeMembers() {
  return useChange(({ isMember, ...request }: AddGroupMembersRequestJson & { id: number; isMember: boolean }) =>
    isMember ? addGroupMembers(request) : removeGroupMembers(request),
  );
}

/** Queries and mutations of accounts, and the signed-in user. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import { pagedQuery, readAll } from "@/api/pages";
import { createSignInLink } from "@/gen/echomind/public/v1/auth_service_client";
import { eraseUser } from "@/gen/echomind/public/v1/erasure_service_client";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import type { AccessKindJson, UserJson } from "@/gen/echomind/public/v1/user_pb";
import type { ListUsersRequestJson } from "@/gen/echomind/public/v1/user_service_pb";
import { getCurrentUser, getUser, listUserAccess, listUsers, setEmailVerified, signOutUser, updateCurrentUser, updateUser } from "@/gen/echomind/public/v1/user_service_client";
import { changesOf } from "./changes";
import { setupKeys } from "./setup";
import { sourcePeopleKeys } from "./source-people";

/** Query keys of people. */
export const userKeys = { current: ["users", "me"] as const, list: ["users", "list"] as const };

/** The signed-in user; null if nobody is signed in. */
export const currentUserQuery = queryOptions({
  queryKey: userKeys.current,
  queryFn: async ({ signal }): Promise<UserJson | null> => {
    try {
      return await getCurrentUser({}, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 5 * 60_000,
  // A sign-in by a link in another tab applies here too.
  refetchOnWindowFocus: ({ state }) => (state.data === null ? "always" : true),
});

/** The signed-in user, for pages that require one. */
export function useCurrentUser(): UserJson {
  return useQuery(currentUserQuery).data ?? {};
}

/** Filter and order of accounts. */
export type UserFilter = Pick<ListUsersRequestJson, "query" | "role" | "group" | "state" | "order" | "descending">;

/** All accounts, to choose one of them; for admins. */
export const usersQuery = queryOptions({
  queryKey: [...userKeys.list, "all"],
  queryFn: ({ signal }) => readAll(listUsers, "users", {}, signal),
});

/** People as they are searched for, page by page; for admins. */
export function foundUsersQuery(filter: UserFilter) {
  return {
    ...pagedQuery([...userKeys.list, filter], listUsers, { ...filter, kind: "ACCOUNT_KIND_PERSON", pageSize: 100 }),
    placeholderData: keepPreviousData,
  };
}

/** Kinds of things that a person has access to. */
export type AccessKind = "connector" | "document" | "assistant" | "notebook" | "knowledge";

/** One account, for admins. */
export function userQuery(id: string) {
  return queryOptions({ queryKey: ["users", "one", id], queryFn: ({ signal }) => getUser({ id }, { signal }) });
}

/** What a person sees of a kind, page by page; for superadmins. */
export function userAccessQuery(id: string, kind: AccessKind) {
  const word = `ACCESS_KIND_${kind.toUpperCase()}` as AccessKindJson;
  return infiniteQueryOptions(pagedQuery(["users", "access", id, kind], listUserAccess, { id: Number(id), kind: word, pageSize: 100 }));
}

/** Changes the reader's own name or preferences. Changes are sent one after the other. */
export function useUpdateCurrentUser() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: userKeys.current,
    scope: { id: "current-user" },
    mutationFn: (user: Pick<UserJson, "firstName" | "lastName" | "preferences">) => updateCurrentUser({ user }),
    onSuccess: (user) => {
      // The response does not contain later changes that are still pending.
      if (client.isMutating({ mutationKey: userKeys.current }) === 1) client.setQueryData(userKeys.current, user);
      return client.invalidateQueries({ queryKey: setupKeys.all });
    },
    onError: () => client.invalidateQueries({ queryKey: userKeys.current }),
  });
}

/** A change of an account, after which all are read again: it may be the reader's own. */
const useUserChange = changesOf(userKeys.list, userKeys.current, sourcePeopleKeys.all);

/** Changes the fields that are given. */
export function useUpdateUser() {
  return useUserChange(({ id, ...user }: UserJson & { id: number }) => updateUser({ id, user }));
}

/** Sets whether an account's e-mail address is verified. Sources map people by verified addresses. */
export function useSetEmailVerified() {
  return useUserChange(({ id, isVerified }: { id: number; isVerified: boolean }) => setEmailVerified({ id, isVerified }));
}

/** Deletes an account permanently, with all of its conversations and private documents. */
export function usePurgeUser() {
  return useUserChange((userId: number) => eraseUser({ userId }));
}

/** Signs a person out everywhere. */
export function useSignOutUser() {
  return useMutation({ mutationFn: (id: number) => signOutUser({ id }) });
}

/** Creates a link that signs a person in once. */
export function useCreateSignInLink() {
  return useMutation({ mutationFn: (userId: number) => createSignInLink({ userId }) });
}

/** The first letters of a person's name, for where a picture would be. */
export function initials(user: UserJson): string {
  const words = displayName(user)
    .split(/[\s@._-]+/)
    .filter(Boolean);
  return words.slice(0, 2).map((word) => word.charAt(0).toUpperCase()).join("") || "?";
}

const RANKS: Partial<Record<RoleJson, number>> = { ROLE_USER: 1, ROLE_ADMIN: 2, ROLE_SUPERADMIN: 3 };

/** Whether a person has a role; each role includes the previous ones. */
export function hasRole(user: UserJson, role: RoleJson): boolean {
  return (user.roles ?? []).some((own) => (RANKS[own] ?? 0) >= (RANKS[role] ?? 0));
}

/** The name to call a person by. */
export function displayName(user: UserJson): string {
  const name = [user.firstName, user.lastName].filter(Boolean).join(" ");
  return name || user.userName || user.email || "";
}

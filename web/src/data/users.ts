/** People: who is signed in, and what roles and names people have. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { getCurrentUser } from "@/gen/echomind/public/v1/user_service_client";

/** Where people are kept. */
export const userKeys = { current: ["users", "me"] as const };

/** The person who is signed in; null when nobody is. */
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
  // Whoever has signed in by a link in another tab goes on here.
  refetchOnWindowFocus: ({ state }) => (state.data === null ? "always" : true),
});

/** The person who is signed in, for pages that are shown to nobody else. */
export function useCurrentUser(): UserJson {
  return useQuery(currentUserQuery).data ?? {};
}

const RANKS: Partial<Record<RoleJson, number>> = { ROLE_USER: 1, ROLE_ADMIN: 2, ROLE_SUPERADMIN: 3 };

/** Whether a person has a role; each role includes the ones before it. */
export function hasRole(user: UserJson, role: RoleJson): boolean {
  return (user.roles ?? []).some((own) => (RANKS[own] ?? 0) >= (RANKS[role] ?? 0));
}

/** The name to call a person by. */
export function displayName(user: UserJson): string {
  const name = [user.firstName, user.lastName].filter(Boolean).join(" ");
  return name || user.userName || user.email || "";
}

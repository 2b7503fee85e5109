/** Whom documents can be for. */
import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import type { GroupJson } from "@/gen/echomind/public/v1/group_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";
import { groupsQuery } from "./groups";
import { hasRole, useCurrentUser } from "./users";

/** Whom an upload is for. */
export interface Audience {
  /** Identifies it in a choice. */
  value: string;
  label: string;
  scope: "SCOPE_USER" | "SCOPE_GROUP" | "SCOPE_ORG";
  group: string;
}

/** The visibilities that a user may choose for uploads, private first; `allGroups` are those of the installation. */
export function audiencesOf(user: UserJson, allGroups: readonly GroupJson[] = []): [Audience, ...Audience[]] {
  const own: Audience = { value: "user", label: t`Only me`, scope: "SCOPE_USER", group: "" };
  if (!hasRole(user, "ROLE_ADMIN")) return [own];
  const isSuperadmin = hasRole(user, "ROLE_SUPERADMIN");
  const names = new Set([...(user.groups ?? []), ...(isSuperadmin ? allGroups.map(({ name = "" }) => name) : [])]);
  const groups = [...names].map((group) => ({
    value: `group:${group}`,
    label: t`Group ${group}`,
    scope: "SCOPE_GROUP" as const,
    group,
  }));
  const everyone = { value: "org", label: t`Everyone in the organization`, scope: "SCOPE_ORG" as const, group: "" };
  return [own, ...groups, ...(isSuperadmin ? [everyone] : [])];
}

/** The visibilities that the current user may choose: superadmins may choose groups that they are not in. */
export function useAudiences(): [Audience, ...Audience[]] {
  const user = useCurrentUser();
  const { data: groups } = useQuery({ ...groupsQuery, enabled: hasRole(user, "ROLE_SUPERADMIN") });
  return audiencesOf(user, groups);
}

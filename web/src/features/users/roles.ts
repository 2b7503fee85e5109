import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { hasRole } from "@/data/users";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";

/** The roles that an account can have, in words. */
export const ROLES: readonly { value: RoleJson; label: MessageDescriptor }[] = [
  { value: "ROLE_USER", label: msg`User` },
  { value: "ROLE_ADMIN", label: msg`Admin` },
  { value: "ROLE_SUPERADMIN", label: msg`Superadmin` },
];

const USER = msg`User`;

/** The highest role of a person: it includes the others. */
export function highestRole(user: Pick<UserJson, "roles">): RoleJson {
  return ROLES.findLast(({ value }) => hasRole(user, value))?.value ?? "ROLE_USER";
}

/** The highest role of a person, in words. */
export function roleLabel(user: Pick<UserJson, "roles">): MessageDescriptor {
  const role = highestRole(user);
  return ROLES.find(({ value }) => value === role)?.label ?? USER;
}

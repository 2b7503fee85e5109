import { hasRole } from "@/data/users";
import type { RoleJson } from "@/gen/echomind/public/v1/common_pb";
import type { UserJson } from "@/gen/echomind/public/v1/user_pb";

/** The roles that an account can have, in words. */
export const ROLES: readonly { value: RoleJson; label: string }[] = [
  { value: "ROLE_USER", label: "User" },
  { value: "ROLE_ADMIN", label: "Admin" },
  { value: "ROLE_SUPERADMIN", label: "Superadmin" },
];

/** The highest role of a person: it includes the others. */
export function highestRole(user: UserJson): RoleJson {
  return ROLES.findLast(({ value }) => hasRole(user, value))?.value ?? "ROLE_USER";
}

/** The highest role of a person, in words. */
export function roleLabel(user: UserJson): string {
  const role = highestRole(user);
  return ROLES.find(({ value }) => value === role)?.label ?? "";
}

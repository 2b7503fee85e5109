import { useLingui } from "@lingui/react/macro";
import { hasRole, useCurrentUser } from "@/data/users";

/** Returns where the reader's list of service accounts is: under Administration, or for admins of groups in Settings. */
export function useListAddress() {
  const { t } = useLingui();
  const isAdmin = hasRole(useCurrentUser(), "ROLE_ADMIN");
  return isAdmin
    ? { href: "/admin/service-accounts", section: t`Administration`, parents: [] }
    : { href: "/settings/service-accounts", section: t`Settings`, parents: [{ href: "/settings/account", label: t`Account` }] };
}

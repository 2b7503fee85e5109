import { Trans } from "@lingui/react/macro";
import type { ServiceAccountJson } from "@/gen/echomind/public/v1/service_account_pb";
import { Badge } from "@/ui/Badge";

/** What is special about a service account; nothing for an active one with the role user. */
export function AccountState({ account }: { account: ServiceAccountJson }) {
  return (
    <>
      {account.roles?.includes("ROLE_ADMIN") && (
        <Badge tone="accent">
          <Trans>Admin</Trans>
        </Badge>
      )}
      {!account.isActive && (
        <Badge tone="warn">
          <Trans>Deactivated</Trans>
        </Badge>
      )}
    </>
  );
}

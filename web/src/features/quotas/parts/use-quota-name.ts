import { useLingui } from "@lingui/react/macro";
import type { QuotaJson } from "@/gen/echomind/public/v1/quota_pb";

/** Says whom a quota binds. */
export function useQuotaName({ scope, groupName = "", userName = "" }: QuotaJson): string {
  const { t } = useLingui();
  switch (scope) {
    case "QUOTA_SCOPE_USER":
      return userName;
    case "QUOTA_SCOPE_GROUP":
      return t`Members of ${groupName} together`;
    case "QUOTA_SCOPE_MEMBER":
      return groupName ? t`Each member of ${groupName}` : t`Each person`;
    default:
      return t`Everybody together`;
  }
}

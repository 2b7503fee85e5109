/** Common options of every source. */
import { useLingui } from "@lingui/react/macro";
import type { PermissionModeJson } from "@/gen/echomind/public/v1/connector_pb";
import { type ByMember, ofMember } from "@/ui/members";

/** Interval between syncs, in minutes. */
export function useSchedules(): { value: string; label: string }[] {
  const { t } = useLingui();
  return [
    { value: "0", label: t`Only when I ask for it` },
    { value: "15", label: t`Every 15 minutes` },
    { value: "60", label: t`Every hour` },
    { value: "360", label: t`Every 6 hours` },
    { value: "1440", label: t`Every day` },
    { value: "10080", label: t`Every week` },
  ];
}

/** The permission mode of a source. */
export function useModes(modes: readonly PermissionModeJson[]): { value: string; label: string }[] {
  const { t } = useLingui();
  const labels: ByMember<PermissionModeJson, string> = {
    PERMISSION_MODE_SCOPE: t`All of them read every document`,
    PERMISSION_MODE_SOURCE: t`Only who may read a document in the connected system`,
  };
  return modes.map((value) => ({ value, label: ofMember(labels, value) ?? value }));
}

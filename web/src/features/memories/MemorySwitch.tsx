import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { installationSettingsQuery, useSetMemoryEnabled } from "@/data/shares";
import { CheckField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import { showFailure } from "@/ui/toasts";

/** Whether memory is on for the installation, for superadmins. */
export function MemorySwitch() {
  const { t } = useLingui();
  const { data: settings, error, refetch } = useQuery(installationSettingsQuery);
  const change = useSetMemoryEnabled();
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!settings) return null;
  return (
    <CheckField
      label={t`Remember people across conversations, for everyone`}
      hint={t`While this is off, memories are neither read nor written for anyone. Existing memories stay, and people can still see and delete their own.`}
      checked={settings.memoryEnabled ?? false}
      onChange={(isOn) => void change.mutateAsync(isOn).catch(showFailure)}
    />
  );
}

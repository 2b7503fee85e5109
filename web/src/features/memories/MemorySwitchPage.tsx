import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { installationSettingsQuery, useSetMemoryEnabled } from "@/data/shares";
import { CheckField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { showFailure } from "@/ui/toasts";

/** Whether memory is on for the installation, for superadmins. */
export function MemorySwitchPage() {
  const { t } = useLingui();
  const { data: settings, error, refetch } = useQuery(installationSettingsQuery);
  const change = useSetMemoryEnabled();
  return (
    <Page
      title={t`Memory`}
      section={t`Administration`}
      description={t`While this is off, memories are neither read nor written for anyone. Existing memories stay, and people can still see and delete their own.`}
    >
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {!settings && !error && <Spinner label={t`Loading settings`} />}
      {settings && (
        <CheckField
          label={t`Remember people across conversations`}
          checked={settings.memoryEnabled ?? false}
          onChange={(isOn) => void change.mutateAsync(isOn).catch(showFailure)}
        />
      )}
    </Page>
  );
}

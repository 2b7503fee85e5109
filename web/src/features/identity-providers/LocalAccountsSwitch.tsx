import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { installationSettingsQuery, useSetLocalAccounts } from "@/data/shares";
import { CheckField } from "@/ui/Field";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";

/** Whether people sign in with passwords, links and invitations, too. */
export function LocalAccountsSwitch() {
  const { t } = useLingui();
  const { data: settings, error, refetch } = useQuery(installationSettingsQuery);
  const change = useSetLocalAccounts();
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!settings) return null;
  const isManaged = settings.isLocalAccountsManaged ?? false;
  return (
    <div>
      <CheckField
        label={t`People can also sign in with passwords, links and invitations`}
        hint={
          isManaged
            ? t`The settings of the server decide this.`
            : t`Turning it off ends the sessions that were begun so. It takes a sign-in at a provider in the last 10 minutes, by somebody whose role comes from its mapping.`
        }
        checked={settings.localAccounts ?? false}
        disabled={isManaged || change.isPending}
        onChange={(isOn) => change.mutate(isOn)}
      />
      {change.error && <Notice tone="danger">{change.error.message}</Notice>}
    </div>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { identityProvidersQuery } from "@/data/identity-providers";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Rows } from "@/ui/Rows";
import { LocalAccountsSwitch } from "./LocalAccountsSwitch";
import { ProviderDialog } from "./providers/ProviderDialog";
import { ProviderRow } from "./providers/ProviderRow";
import { ScimClients } from "./scim/ScimClients";

/** The OpenID providers that people sign in at. */
export function IdentityProvidersPage() {
  const { t } = useLingui();
  const { data: providers, error, refetch } = useQuery(identityProvidersQuery);
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={t`Single sign-on`}
      section={t`Administration`}
      description={t`OpenID Connect providers that people sign in at. Each has a button on the sign-in page.`}
      actions={
        <Button variant="primary" onClick={() => setAdding(true)}>
          <Plus size={16} /> <Trans>Add a provider</Trans>
        </Button>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!providers} label={t`Loading`} />
      {providers && (
        <Rows label={t`Providers`} whenEmpty={t`There is no provider yet: people sign in with links and passwords.`}>
          {providers.map((provider) => (
            <ProviderRow key={provider.name} provider={provider} />
          ))}
        </Rows>
      )}
      {providers && <LocalAccountsSwitch />}
      <ScimClients />
      {isAdding && <ProviderDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

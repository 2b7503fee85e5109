import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { apiKeysQuery, useCreateApiKey, useLimitApiKey, useRevokeApiKey, useRotateApiKey } from "@/data/api-keys";
import { Button } from "@/ui/Button";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { CreateKeyDialog } from "./CreateKeyDialog";
import { KeyList } from "./KeyList";

/** The reader's own API keys. */
export function ApiKeysPage() {
  const { t } = useLingui();
  const { data: keys, error, refetch } = useQuery(apiKeysQuery);
  const [isCreating, setCreating] = useState(false);
  const create = useCreateApiKey();
  const limit = useLimitApiKey();
  const rotate = useRotateApiKey();
  const revoke = useRevokeApiKey();
  return (
    <Page
      title={t`API keys`}
      section={t`Settings`}
      description={t`Programs authenticate with an API key and act on your behalf.`}
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus size={16} /> <Trans>Create key</Trans>
        </Button>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!keys} label={t`Loading API keys`} />
      {keys && (
        <KeyList
          keys={keys}
          onLimit={(id, limits) => limit.mutateAsync({ id, ...limits })}
          onRotate={(id, overlapSeconds) => rotate.mutateAsync({ id, overlapSeconds })}
          onRevoke={(id) => revoke.mutateAsync(id)}
        />
      )}
      {isCreating && <CreateKeyDialog onCreate={create.mutateAsync} onClose={() => setCreating(false)} />}
    </Page>
  );
}

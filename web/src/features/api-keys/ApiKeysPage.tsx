import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { apiKeysQuery, useRevokeApiKey } from "@/data/api-keys";
import type { ApiKeyJson } from "@/gen/echomind/public/v1/api_key_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Page } from "@/ui/Page";
import { Row, Rows } from "@/ui/Rows";
import { Spinner } from "@/ui/Spinner";
import { CreateKeyDialog } from "./keys/CreateKeyDialog";

/** The reader's own API keys. */
export function ApiKeysPage() {
  const { data: keys, error, refetch } = useQuery(apiKeysQuery);
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKeyJson>();
  const revoke = useRevokeApiKey();
  return (
    <Page
      title="API keys"
      section="Settings"
      description="Programs sign in by a key and act as you."
      actions={
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Plus size={16} /> Create key
        </Button>
      }
    >
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {!keys && !error && <Spinner label="Loading API keys" />}
      {keys && (
        <Rows label="API keys" whenEmpty="No API keys yet.">
          {keys.map((key) => (
            <Row
              key={key.id}
              name={key.name ?? ""}
              badges={key.scopes?.includes("API_KEY_SCOPE_ADMINISTER") && <Badge tone="warn">Administration</Badge>}
              facts={facts(key)}
              actions={
                <Button size="sm" aria-label={`Revoke ${key.name ?? ""}`} onClick={() => setRevoked(key)}>
                  Revoke
                </Button>
              }
            />
          ))}
        </Rows>
      )}
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {revoked && (
        <ConfirmDialog
          title={`Revoke “${revoked.name ?? ""}”?`}
          text="Programs that use this key, or a key that was made with it, are refused within a minute. This cannot be undone."
          action="Revoke"
          onConfirm={() => revoke.mutateAsync(revoked.id ?? 0)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Page>
  );
}

function facts({ prefix = "", creationDate, lastUsedAt, expiresAt }: ApiKeyJson): string[] {
  return [
    `${prefix}…`,
    `Created ${formatMoment(creationDate)}`,
    lastUsedAt ? `Last used ${formatMoment(lastUsedAt)}` : "Never used",
    expiresAt ? `Expires ${formatMoment(expiresAt)}` : "Does not expire",
  ];
}

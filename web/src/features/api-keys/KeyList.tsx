import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { assistantsQuery } from "@/data/assistants";
import { connectorsQuery } from "@/data/connectors";
import type { ApiKeyJson } from "@/gen/echomind/public/v1/api_key_pb";
import type { RotateApiKeyResponseJson } from "@/gen/echomind/public/v1/api_key_service_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { Row, Rows } from "@/ui/Rows";
import { type KeyLimits, LimitKeyDialog } from "./keys/LimitKeyDialog";
import { RotateKeyDialog } from "./keys/RotateKeyDialog";
import { ADMINISTER, SCOPES } from "./keys/scopes";
import { useQuotaFacts } from "./keys/use-quota-facts";

interface KeyListProps {
  keys: readonly ApiKeyJson[];
  /** Replaces the quotas and limits of a key. */
  onLimit: (keyId: number, limits: KeyLimits) => Promise<unknown>;
  /** Gives a key another secret; without it, none can be rotated. */
  onRotate?: ((keyId: number, overlapSeconds: number) => Promise<RotateApiKeyResponseJson>) | undefined;
  onRevoke: (keyId: number) => Promise<unknown>;
}

/** The API keys of an account. */
export function KeyList({ keys, onLimit, onRotate, onRevoke }: KeyListProps) {
  const { t } = useLingui();
  const facts = useFacts();
  const [limited, setLimited] = useState<ApiKeyJson>();
  const [revoked, setRevoked] = useState<ApiKeyJson>();
  const [rotated, setRotated] = useState<ApiKeyJson>();
  return (
    <>
      <Rows label={t`API keys`} whenEmpty={t`No API keys yet.`}>
        {keys.map((key) => (
          <Row
            key={key.id}
            name={key.name ?? ""}
            badges={
              key.scopes?.includes(ADMINISTER) && (
                <Badge tone="warn">
                  <Trans>Administration</Trans>
                </Badge>
              )
            }
            facts={facts(key)}
            actions={
              <>
                <Button size="sm" aria-label={t`Limit ${key.name ?? ""}`} onClick={() => setLimited(key)}>
                  <Trans>Limit</Trans>
                </Button>
                {onRotate && (
                  <Button size="sm" aria-label={t`Rotate ${key.name ?? ""}`} onClick={() => setRotated(key)}>
                    <Trans>Rotate</Trans>
                  </Button>
                )}
                <Button size="sm" aria-label={t`Revoke ${key.name ?? ""}`} onClick={() => setRevoked(key)}>
                  <Trans>Revoke</Trans>
                </Button>
              </>
            }
          />
        ))}
      </Rows>
      {limited && <LimitKeyDialog apiKey={limited} onLimit={(limits) => onLimit(limited.id ?? 0, limits)} onClose={() => setLimited(undefined)} />}
      {rotated && onRotate && (
        <RotateKeyDialog apiKey={rotated} onRotate={(overlap) => onRotate(rotated.id ?? 0, overlap)} onClose={() => setRotated(undefined)} />
      )}
      {revoked && (
        <ConfirmDialog
          title={t`Revoke “${revoked.name ?? ""}”?`}
          text={t`Programs that use this key, or a key created with it, lose access within a minute. This cannot be undone.`}
          action={t`Revoke`}
          onConfirm={() => onRevoke(revoked.id ?? 0)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  );
}

/** Returns the details of a key for display. */
function useFacts() {
  const { t } = useLingui();
  const limits = useLimits();
  const quotas = useQuotaFacts();
  return ({ prefix = "", creationDate, lastUsedAt, expiresAt, scopes = [], previousExpiresAt, previousUsedAt, ...key }: ApiKeyJson): string[] => [
    `${prefix}…`,
    SCOPES.filter(({ value }) => scopes.includes(value))
      .map(({ label }) => t(label))
      .join(", "),
    ...limits(key),
    ...quotas(key),
    t`Created ${formatMoment(creationDate)}`,
    lastUsedAt ? t`Last used ${formatMoment(lastUsedAt)}` : t`Never used`,
    expiresAt ? t`Expires ${formatMoment(expiresAt)}` : t`Does not expire`,
    ...(previousExpiresAt
      ? [
          t`Earlier secret works until ${formatMoment(previousExpiresAt)}`,
          previousUsedAt ? t`Earlier secret last used ${formatMoment(previousUsedAt)}` : t`Earlier secret never used since`,
        ]
      : []),
  ];
}

/** Returns the limits of a key for display, by the names of what it may use. */
function useLimits() {
  const { t } = useLingui();
  const assistants = useQuery(assistantsQuery).data ?? [];
  const connectors = useQuery(connectorsQuery).data ?? [];
  return ({ assistantIds = [], connectorIds = [] }: ApiKeyJson): string[] => [
    ...assistantIds.map((id) => {
      const name = assistants.find((assistant) => assistant.id === id)?.name;
      return name ? t`Only assistant ${name}` : t`Only assistant ${id}, which was removed`;
    }),
    ...connectorIds.map((id) => {
      const name = connectors.find((connector) => connector.id === id)?.name;
      return name ? t`Only connector ${name}` : t`Only connector ${id}, which was removed`;
    }),
  ];
}

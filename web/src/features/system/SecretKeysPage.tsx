import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { secretKeysQuery, useRetireSecretKeys, useRotateSecretKeys } from "@/data/secret-keys";
import type { SecretKeyJson } from "@/gen/echomind/public/v1/secret_key_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatNumber } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { showFailure, showToast } from "@/ui/toasts";

/** The keys that encrypt stored secrets: how much depends on each, and their rotation. */
export function SecretKeysPage() {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(secretKeysQuery);
  return (
    <Page
      title={t`Encryption keys`}
      section={t`Administration`}
      description={t`Keys of models, credentials of connectors and other stored secrets are encrypted with the primary key. The others still decrypt what was stored before.`}
      actions={data && <Actions keys={data.secretKeys ?? []} isFile={data.source === "SECRET_KEY_SOURCE_FILE"} />}
    >
      <QueryView error={error} onRetry={refetch} isPending={!data} label={t`Loading`} />
      {data?.source === "SECRET_KEY_SOURCE_ENVIRONMENT" && (
        <p>
          <Trans>
            The keys come from the environment of the services (<code>ECHOMIND_SECRETS__KEYS</code>). Whoever runs the services puts a new
            one in front there, and then all secrets can be encrypted with it here.
          </Trans>
        </p>
      )}
      {!!data?.unreadableCount && (
        <p role="alert">
          <Plural
            value={data.unreadableCount}
            one="No key decrypts one stored secret: enter it again, or restore the key that encrypted it."
            other="No key decrypts # stored secrets: enter them again, or restore the key that encrypted them."
          />
        </p>
      )}
      {data && (
        <Rows label={t`Encryption keys`}>
          {data.secretKeys?.map((key) => (
            <Row
              key={key.id}
              name={key.id ?? ""}
              badges={key.isPrimary && <Badge tone="accent">{t`primary`}</Badge>}
              facts={[t`Stored secrets: ${formatNumber(key.secretCount ?? 0)}`]}
            />
          ))}
        </Rows>
      )}
    </Page>
  );
}

function Actions({ keys, isFile }: { keys: readonly SecretKeyJson[]; isFile: boolean }) {
  const { t } = useLingui();
  const [open, setOpen] = useState<"rotate" | "retire">();
  const rotate = useRotateSecretKeys();
  const retire = useRetireSecretKeys();
  const isBegun = keys.some(({ isPrimary, secretCount }) => !isPrimary && secretCount);
  const canRetire = isFile && keys.some(({ isPrimary, secretCount }) => !isPrimary && !secretCount);
  const start = (newKey: boolean) =>
    rotate.mutateAsync(
      { newKey },
      { onError: showFailure, onSuccess: (count) => showToast({ message: t`Secrets encrypted with the primary key: ${count}` }) },
    );
  return (
    <>
      {canRetire && (
        <Button onClick={() => setOpen("retire")}>
          <Trans>Remove unused keys</Trans>
        </Button>
      )}
      {(isBegun || isFile) && (
        <Button variant="primary" disabled={rotate.isPending} onClick={() => (isBegun ? void start(false) : setOpen("rotate"))}>
          {isBegun ? <Trans>Continue rotation</Trans> : <Trans>Rotate key</Trans>}
        </Button>
      )}
      {open === "rotate" && (
        <ConfirmDialog
          title={t`Rotate the encryption key?`}
          text={t`A new key is made, and all stored secrets are encrypted with it. Everything keeps running. The old key stays until you remove it; backups keep the keys that they need.`}
          action={t`Rotate key`}
          onConfirm={() => start(true)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === "retire" && (
        <ConfirmDialog
          title={t`Remove the keys that no stored secret needs?`}
          text={t`Backups that were made before have the keys that they need. For a minute after a rotation, keys stay.`}
          action={t`Remove unused keys`}
          onConfirm={async () => {
            const count = await retire.mutateAsync(undefined);
            showToast({ message: count ? t`Keys removed: ${count}` : t`No key was removed: try again in a minute.` });
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

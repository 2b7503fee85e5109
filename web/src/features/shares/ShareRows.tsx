import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useRefreshShare, useRevokeShare } from "@/data/shares";
import type { SessionShareJson } from "@/gen/echomind/public/v1/session_share_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Row, Rows } from "@/ui/Rows";
import { showToast } from "@/ui/toasts";
import { readersOf } from "./recipients";
import { RecipientsDialog } from "./RecipientsDialog";
import { statusWords } from "./share-words";

/** Shares with their actions. */
export function ShareRows({ shares, isOfOneSession = false }: { shares: readonly SessionShareJson[]; isOfOneSession?: boolean }) {
  const { t } = useLingui();
  const facts = useFacts();
  const [revoked, setRevoked] = useState<SessionShareJson>();
  const [changedId, setChangedId] = useState<number>();
  const changed = shares.find(({ id }) => id === changedId);
  const revoke = useRevokeShare();
  const refresh = useRefreshShare();
  const update = (share: SessionShareJson) =>
    refresh.mutate(share.id ?? 0, { onSuccess: () => showToast({ message: t`Readers see the conversation as it is now.` }) });
  return (
    <>
      {refresh.error && <Notice tone="danger">{refresh.error.message}</Notice>}
      <Rows label={t`Shared conversations`} whenEmpty={t`You have not shared anything yet. Choose Share in the menu of a conversation.`}>
        {shares.map((share) => {
          const problem = statusWords(share.status);
          const name = isOfOneSession ? readersOf(share) : share.title || t`Untitled`;
          return (
            <Row
              key={share.id}
              name={name}
              href={isOfOneSession || share.status === "SESSION_SHARE_STATUS_SESSION_REMOVED" ? undefined : `/chat/${share.chatSessionId ?? 0}`}
              badges={problem && <Badge tone="warn">{t(problem)}</Badge>}
              facts={[!isOfOneSession && readersOf(share), ...facts(share)]}
              actions={
                <>
                  {!share.isCurrent && share.status === "SESSION_SHARE_STATUS_OPEN" && (
                    <Button size="sm" aria-label={t`Update ${name}`} disabled={refresh.isPending} onClick={() => update(share)}>
                      <Trans>Update</Trans>
                    </Button>
                  )}
                  <Button size="sm" aria-label={t`People and groups of ${name}`} onClick={() => setChangedId(share.id)}>
                    <Trans>People</Trans>
                  </Button>
                  <Button size="sm" aria-label={t`Revoke ${name}`} onClick={() => setRevoked(share)}>
                    <Trans>Revoke</Trans>
                  </Button>
                </>
              }
            />
          );
        })}
      </Rows>
      {changed && <RecipientsDialog share={changed} onClose={() => setChangedId(undefined)} />}
      {revoked && (
        <ConfirmDialog
          title={t`Revoke this share?`}
          text={t`Nobody will be able to open it anymore, by its link or by name. This cannot be undone, but you can share the conversation again.`}
          action={t`Revoke`}
          onConfirm={() => revoke.mutateAsync(revoked.id ?? 0)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  );
}

/** Returns the details of a share for display. */
function useFacts() {
  const { t } = useLingui();
  return ({ sharedAt, expiresAt, lastAccessAt, isCurrent, showsQuotes }: SessionShareJson): string[] => [
    isCurrent ? t`Shared ${formatMoment(sharedAt)}` : t`Shared ${formatMoment(sharedAt)}, newer answers are not shown`,
    lastAccessAt ? t`Last opened ${formatMoment(lastAccessAt)}` : t`Never opened`,
    showsQuotes ? t`With quotes` : t`Without quotes`,
    t`Expires ${formatMoment(expiresAt)}`,
  ];
}

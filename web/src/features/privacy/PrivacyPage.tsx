import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { LockOpen, Plus } from "lucide-react";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { erasuresQuery, legalHoldsQuery, useReleaseLegalHold } from "@/data/privacy";
import type { LegalHoldJson } from "@/gen/echomind/public/v1/legal_hold_pb";
import { Badge } from "@/ui/Badge";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";
import { ErasureItems } from "./ErasureItems";
import { PlaceHoldDialog } from "./PlaceHoldDialog";

/** Legal holds, and the reports of erased people. */
export function PrivacyPage() {
  const { t } = useLingui();
  const [isPlacing, setPlacing] = useState(false);
  return (
    <Page
      title={t`Privacy`}
      section={t`Administration`}
      description={t`A legal hold keeps what belongs to a person, or a conversation, whatever retention rules and people say. To erase a person, open Administration, People.`}
      actions={
        <Button variant="primary" onClick={() => setPlacing(true)}>
          <Plus size={16} /> <Trans>Place legal hold</Trans>
        </Button>
      }
    >
      <Holds />
      <Erasures />
      {isPlacing && <PlaceHoldDialog onClose={() => setPlacing(false)} />}
    </Page>
  );
}

function Holds() {
  const { t } = useLingui();
  const found = useInfiniteQuery(legalHoldsQuery);
  const holds = found.data?.pages.flatMap((page) => page.legalHolds ?? []);
  return (
    <section>
      <h2>{t`Legal holds`}</h2>
      <QueryView error={found.error} onRetry={() => found.refetch()} isPending={!holds} label={t`Loading`} />
      {holds && (
        <Rows label={t`Legal holds`} whenEmpty={t`There are no legal holds.`}>
          {holds.map((hold) => (
            <HoldRow key={hold.id} hold={hold} />
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
    </section>
  );
}

function HoldRow({ hold }: { hold: LegalHoldJson }) {
  const { t } = useLingui();
  const [isReleasing, setReleasing] = useState(false);
  const release = useReleaseLegalHold();
  const { id = 0, userId, userName, chatSessionId, reason, placedByName, creationDate, releasedAt, releasedByName } = hold;
  const name = userName || (userId ? t`Account ${String(userId)}` : t`Conversation ${chatSessionId ?? ""}`);
  return (
    <Row
      name={name}
      badges={releasedAt && <Badge tone="neutral">{t`released`}</Badge>}
      facts={[
        reason,
        placedByName ? t`Placed by ${placedByName}, ${formatMoment(creationDate)}` : t`Placed ${formatMoment(creationDate)}`,
        releasedAt && (releasedByName ? t`Released by ${releasedByName}, ${formatMoment(releasedAt)}` : t`Released ${formatMoment(releasedAt)}`),
      ]}
      actions={
        !releasedAt && (
          <IconButton label={t`Release: ${name}`} onClick={() => setReleasing(true)}>
            <LockOpen size={16} />
          </IconButton>
        )
      }
    >
      {isReleasing && (
        <ConfirmDialog
          title={t`Release this legal hold?`}
          text={t`${name}: from now on, retention rules and people can delete what it kept.`}
          action={t`Release`}
          onConfirm={() => release.mutateAsync(id)}
          onClose={() => setReleasing(false)}
        />
      )}
    </Row>
  );
}

function Erasures() {
  const { t } = useLingui();
  const found = useInfiniteQuery(erasuresQuery);
  const erasures = found.data?.pages.flatMap((page) => page.erasures ?? []);
  return (
    <section>
      <h2>{t`Erased people`}</h2>
      <QueryView error={found.error} onRetry={() => found.refetch()} isPending={!erasures} label={t`Loading`} />
      {erasures && (
        <Rows label={t`Erased people`} whenEmpty={t`Nobody was erased.`}>
          {erasures.map(({ id, userId, erasedByName, creationDate, state, sessionsLeft = 0, statusMessage, items = [] }) => (
            <Row
              key={id}
              name={t`Account ${userId ?? ""}`}
              badges={
                <>
                  {state === "ERASURE_STATE_RUNNING" && <Badge tone="neutral">{t`running`}</Badge>}
                  {state === "ERASURE_STATE_WAITING" && <Badge tone="warn">{t`waiting`}</Badge>}
                  {state === "ERASURE_STATE_CANCELLED" && <Badge tone="warn">{t`cancelled`}</Badge>}
                </>
              }
              facts={[
                erasedByName ? t`Erased by ${erasedByName}, ${formatMoment(creationDate)}` : t`Erased ${formatMoment(creationDate)}`,
                sessionsLeft > 0 && plural(sessionsLeft, { one: "# conversation left", other: "# conversations left" }),
                state === "ERASURE_STATE_WAITING" && t`It is tried again every minute.`,
                state === "ERASURE_STATE_CANCELLED" && t`It is continued when you delete the person permanently again.`,
                statusMessage && serverWords(statusMessage),
              ]}
            >
              <details>
                <summary>{t`Report`}</summary>
                <ErasureItems items={items} />
              </details>
            </Row>
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
    </section>
  );
}

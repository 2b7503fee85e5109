import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { useDeleteOtherWebSessions, useDeleteWebSession, webSessionsQuery } from "@/data/web-sessions";
import type { WebSessionJson } from "@/gen/echomind/public/v1/web_session_pb";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatRelative, formatTimestamp } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { showFailure, showToast } from "@/ui/toasts";
import { describeBrowser, placeOf } from "./devices/describe";

const PLACES = { machine: msg`the machine that EchoMind runs on`, local: msg`local network`, internet: msg`internet` };

/** The browsers that the reader is signed in with, each of which can be signed out. */
export function DevicesPage() {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { data: sessions, error, refetch } = useQuery(webSessionsQuery);
  const [isEnding, setEnding] = useState(false);
  const endOthers = useDeleteOtherWebSessions();
  const others = sessions?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Page
      title={t`Devices`}
      section={t`Settings`}
      description={t`Browsers that are signed in to your account. If you do not know one, sign it out and change your password.`}
      actions={
        <>
          <Button onClick={() => navigate("/device")}>
            <Trans>Sign in a device</Trans>
          </Button>
          {others > 0 && (
            <Button onClick={() => setEnding(true)}>
              <Trans>Sign out all others</Trans>
            </Button>
          )}
        </>
      }
    >
      <QueryView error={error} onRetry={refetch} isPending={!sessions} label={t`Loading`} />
      {sessions && (
        <Rows label={t`Devices`}>
          {sessions.map((session) => (
            <Device key={session.id} session={session} />
          ))}
        </Rows>
      )}
      {isEnding && (
        <ConfirmDialog
          title={t`Sign out all other browsers?`}
          text={t`They are signed out within a minute, and your unused sign-in links are revoked. This browser stays signed in.`}
          action={t`Sign out all others`}
          onConfirm={() => endOthers.mutateAsync()}
          onClose={() => setEnding(false)}
        />
      )}
    </Page>
  );
}

function Device({ session }: { session: WebSessionJson }) {
  const { t } = useLingui();
  const { id = "", userAgent = "", address = "", isCurrent = false, lastSeen, creationDate } = session;
  const end = useDeleteWebSession();
  const { browser = t`Unknown browser`, system } = describeBrowser(userAgent);
  const name = system ? t`${browser} on ${system}` : browser;
  const signOut = () => end.mutate(id, { onError: showFailure, onSuccess: () => showToast({ message: t`${name} is signed out.` }) });
  return (
    <Row
      name={name}
      title={userAgent}
      badges={isCurrent && <Badge tone="accent">{t`This browser`}</Badge>}
      facts={[
        address && `${address} (${t(PLACES[placeOf(address)])})`,
        isCurrent ? t`In use now` : t`Last used ${formatRelative(lastSeen)}`,
        t`Signed in ${formatTimestamp(creationDate)}`,
      ]}
      actions={
        !isCurrent && (
          <Button size="sm" onClick={signOut} disabled={end.isPending} aria-label={t`Sign out ${name}`}>
            <Trans>Sign out</Trans>
          </Button>
        )
      }
    />
  );
}

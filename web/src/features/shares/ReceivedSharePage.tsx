import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { ApiError } from "@/api/http";
import { receivedShareQuery, useForkReceived } from "@/data/shares";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { SharedConversation } from "./SharedConversation";

/** A conversation that somebody shares with the user. */
export function ReceivedSharePage({ id }: { id: string }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { data: shared, error, refetch } = useQuery(receivedShareQuery(Number(id)));
  const fork = useForkReceived(Number(id));
  const isLost = error instanceof ApiError && error.status === 404;
  const title = isLost ? t`This is not shared with you` : shared?.title || t`Shared conversation`;
  return (
    <Page
      title={title}
      section={t`Shared with you`}
      parents={[{ href: "/received", label: t`Shared with you` }]}
      actions={
        shared?.canFork &&
        !isLost && (
          <Button
            variant="primary"
            disabled={fork.isPending}
            onClick={() => fork.mutate(undefined, { onSuccess: (session) => navigate(`/chat/${session.id ?? ""}`) })}
          >
            {fork.isPending && <Spinner />} <Trans>Continue in a conversation of yours</Trans>
          </Button>
        )
      }
    >
      {fork.error && <Notice tone="danger">{fork.error.message}</Notice>}
      {!shared && !error && <Spinner label={t`Loading`} />}
      {isLost && (
        <p>
          <Trans>It has expired, was taken back, or was for a group that you have left. Ask whoever shared it with you.</Trans>
        </p>
      )}
      {error && !isLost && <LoadFailure error={error} onRetry={refetch} />}
      {shared && !isLost && <SharedConversation shared={shared} isWithoutTitle />}
    </Page>
  );
}

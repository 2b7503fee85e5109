import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@/api/http";
import { sharedSessionQuery, useForkShared } from "@/data/shares";
import { currentUserQuery } from "@/data/users";
import { addressOf } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Logo } from "@/ui/Logo";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { SharedConversation } from "./SharedConversation";
import styles from "./SharedPage.module.css";

/** The content of a share link, for anyone who has it. */
export function SharedPage({ token }: { token: string }) {
  const { t } = useLingui();
  const { data: shared, error, refetch } = useQuery(sharedSessionQuery(token));
  const { data: user } = useQuery(currentUserQuery);
  const isDead = error instanceof ApiError && error.status === 404;
  return (
    <div className={styles.page}>
      <title>{`${shared?.title ?? (isDead ? t`This link does not work` : t`Shared conversation`)} · EchoMind`}</title>
      <header className={styles.bar}>
        <a className={styles.home} href={addressOf("/")} aria-label={t`EchoMind, start page`}>
          <Logo />
        </a>
        {user === null && (
          <a className={styles.signIn} href={addressOf("/")}>
            <Trans>Sign in</Trans>
          </a>
        )}
        {shared?.canFork && <ForkButton token={token} />}
      </header>
      <main className={styles.main}>
        {!shared && !error && <Spinner label={t`Loading`} />}
        {isDead && <DeadShare isSignedIn={Boolean(user)} />}
        {error && !isDead && <LoadFailure error={error} onRetry={refetch} />}
        {shared && <SharedConversation shared={shared} />}
      </main>
    </div>
  );
}

function ForkButton({ token }: { token: string }) {
  const fork = useForkShared(token);
  return (
    <>
      {fork.error && <Notice tone="danger">{fork.error.message}</Notice>}
      <Button
        variant="primary"
        disabled={fork.isPending || fork.isSuccess}
        // Load a new page, because this one has a stricter content security policy.
        onClick={() => fork.mutate(undefined, { onSuccess: ({ id }) => window.location.assign(addressOf(`/chat/${id ?? ""}`)) })}
      >
        <Trans>Continue in EchoMind</Trans>
      </Button>
    </>
  );
}

function DeadShare({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <>
      <h1 className={styles.title}>
        <Trans>This link does not work</Trans>
      </h1>
      <p>
        <Trans>It may be mistyped, expired or revoked. Ask the sender for a new one.</Trans>
      </p>
      {!isSignedIn && (
        <p>
          <Trans>
            Some links open only for people with an account: <a href={addressOf("/")}>sign in</a>, then open the link again.
          </Trans>
        </p>
      )}
    </>
  );
}

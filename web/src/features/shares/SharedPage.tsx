import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { ApiError } from "@/api/http";
import { sharedSessionQuery, useForkShared } from "@/data/shares";
import { currentUserQuery } from "@/data/users";
import { AnswerText } from "@/features/citations/AnswerText";
import { BasisNote } from "@/features/citations/BasisNote";
import type { CitationJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { SharedMessageJson, SharedSessionJson } from "@/gen/echomind/public/v1/session_share_pb";
import { AuthorNote } from "@/ui/AuthorNote";
import { addressOf } from "@/ui/base-path";
import { Button } from "@/ui/Button";
import { formatTimestamp } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Logo } from "@/ui/Logo";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import styles from "./SharedPage.module.css";

const NONE: CitationJson[] = [];

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
        {shared && <Shared shared={shared} />}
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

function Shared({ shared: { title = "", messages = [], sharedAt } }: { shared: SharedSessionJson }) {
  return (
    <article className={styles.article}>
      <header>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.note}>
          <Trans>Shared conversation, as of {formatTimestamp(sharedAt)}. Answers are made by a model: check what matters.</Trans>
        </p>
      </header>
      {messages.map((message, place) => (
        // Shared messages have no ids, and their order is fixed.
        <Fragment key={place}>
          {message.role === "MESSAGE_ROLE_USER" ? (
            <SharedQuestion message={message} />
          ) : (
            <SharedAnswer message={message} />
          )}
        </Fragment>
      ))}
    </article>
  );
}

function SharedQuestion({ message: { content = "", authorKind } }: { message: SharedMessageJson }) {
  const { t } = useLingui();
  const isForeign = authorKind === "AUTHOR_KIND_FOREIGN" || authorKind === "AUTHOR_KIND_UNKNOWN";
  return (
    <section className={styles.asked} aria-label={t`Question`}>
      <div className={styles.question}>{content}</div>
      {isForeign && <AuthorNote isCertain={authorKind === "AUTHOR_KIND_FOREIGN"} />}
    </section>
  );
}

function SharedAnswer({ message: { content = "", status, basis, citations = [] } }: { message: SharedMessageJson }) {
  const { t } = useLingui();
  return (
    <section className={styles.answer} aria-label={t`Answer`}>
      <AnswerText content={content} citations={NONE} />
      {(status === "MESSAGE_STATUS_FAILED" || status === "MESSAGE_STATUS_CANCELLED") && (
        <p className={styles.note}>
          <Trans>This answer was not completed.</Trans>
        </p>
      )}
      <BasisNote basis={basis} />
      {citations.length > 0 && (
        <ul className={styles.sources} aria-label={t`Sources`}>
          {citations.map(({ number = 0, title = "" }) => (
            <li key={number}>
              <span className={styles.number}>{number}</span> {title}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

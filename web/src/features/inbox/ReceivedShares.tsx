import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { receivedSharesQuery } from "@/data/shares";
import type { ReceivedShareJson } from "@/gen/echomind/public/v1/session_share_pb";
import { formatRelative } from "@/ui/format";
import { Moment } from "@/ui/Moment";
import styles from "./InboxPage.module.css";

/** How long a share is news; after that it stays on the page of all that is shared with the reader. */
const NEWS_MS = 14 * 86_400_000;

/** What others have shared with the reader, or refreshed, during the last two weeks and can still be opened. */
export function useNewShares(): readonly ReceivedShareJson[] {
  // The list is the server's, which leaves out at once what was taken back.
  const { data } = useInfiniteQuery({ ...receivedSharesQuery, refetchOnMount: "always" });
  const [since] = useState(() => Date.now() - NEWS_MS);
  return data?.pages.flatMap(({ receivedShares = [] }) => receivedShares).filter(({ sharedAt = "" }) => Date.parse(sharedAt) >= since) ?? [];
}

/** Notices of shares, each with a link to what is shared. */
export function ReceivedShares({ shares }: { shares: readonly ReceivedShareJson[] }) {
  const { t } = useLingui();
  if (shares.length === 0) return null;
  return (
    <section className={styles.shares} aria-labelledby="inbox-shares">
      <h2 id="inbox-shares">
        <Trans>Shared with you recently</Trans>
      </h2>
      <ul className={styles.list} aria-label={t`Shared with you recently`}>
        {shares.map(({ id = 0, title, sharedBy = "", sharedAt }) => (
          <li key={id}>
            <Link href={`/received/${id}`} className={styles.item}>
              <span className={styles.head}>
                <strong>{title || t`Conversation`}</strong>
                <Moment at={sharedAt} format={formatRelative} />
              </span>
              <span className={styles.kind}>
                <Trans>Shared by {sharedBy}</Trans>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

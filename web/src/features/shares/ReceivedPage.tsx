import { useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { receivedSharesQuery } from "@/data/shares";
import { formatMoment } from "@/ui/format";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { ShowMore } from "@/ui/ShowMore";

/** What others share with the user, or with a group of theirs. */
export function ReceivedPage() {
  const { t } = useLingui();
  const pages = useInfiniteQuery(receivedSharesQuery);
  const { data, error, refetch } = pages;
  const shares = data?.pages.flatMap(({ receivedShares = [] }) => receivedShares);
  return (
    <Page title={t`Shared with you`} section={t`Chat`} description={t`Conversations that others share with you or with a group of yours, as they were then.`}>
      <QueryView error={error} onRetry={refetch} isPending={!shares} label={t`Loading what is shared with you`} />
      {shares && (
        <Rows label={t`Shared with you`} whenEmpty={t`Nobody shares a conversation with you at the moment.`}>
          {shares.map(({ id = 0, title, sharedBy = "", sharedAt, expiresAt }) => (
            <Row
              key={id}
              name={title || t`Untitled`}
              href={`/received/${id}`}
              facts={[t`Shared by ${sharedBy}`, formatMoment(sharedAt), t`Expires ${formatMoment(expiresAt)}`]}
            />
          ))}
        </Rows>
      )}
      <ShowMore of={pages} />
    </Page>
  );
}

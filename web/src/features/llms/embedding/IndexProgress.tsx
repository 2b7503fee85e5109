import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { indexProgressQuery } from "@/data/embedding-models";
import { Button } from "@/ui/Button";
import { formatDuration, formatNumber } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";

interface IndexProgressProps {
  id: number;
  /** Tries failed documents again, or leaves them out. */
  onActivate: (withoutFailed: boolean) => void;
}

/** How far an index is filled, how long it takes, and the documents that could not be copied. */
export function IndexProgress({ id, onActivate }: IndexProgressProps) {
  const { t } = useLingui();
  const { data: progress, error, refetch } = useQuery(indexProgressQuery(id));
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!progress) return <Spinner label={t`Loading the progress`} />;
  const [documents, done, failed] = [progress.documents, progress.done, progress.failed].map(toNumber);
  const { secondsLeft, failures = [], message } = progress;
  const label = t`${formatNumber(done ?? 0)} of ${formatNumber(documents ?? 0)} documents`;
  return (
    <>
      <progress aria-label={label} max={documents || 1} value={done} />
      <p>
        {label}
        {secondsLeft !== undefined && Number(secondsLeft) > 0 && (
          <>
            {" · "}
            <Trans>about {formatDuration(Number(secondsLeft) * 1000)} left</Trans>
          </>
        )}
      </p>
      {!failed && message && <Notice tone="warn">{message}</Notice>}
      {!!failed && (
        <Notice
          tone="warn"
          actions={
            <>
              <Button onClick={() => onActivate(false)}>
                <Trans>Try again</Trans>
              </Button>
              <Button onClick={() => onActivate(true)}>
                <Trans>Activate without them</Trans>
              </Button>
            </>
          }
        >
          <Plural value={failed} one="# document could not be copied." other="# documents could not be copied." />
          <ul>
            {failures.map((failure) => (
              <li key={failure.documentId}>
                <Link href={`/documents/${failure.documentId}`}>
                  <Trans>Document {failure.documentId}</Trans>
                </Link>
                : {failure.message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

/** A number of the API, whose large ones are strings and whose zeros are omitted. */
function toNumber(value: string | number | undefined): number {
  return Number(value ?? 0);
}

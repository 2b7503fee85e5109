import { Trans } from "@lingui/react/macro";
import { ApiError } from "@/api/http";
import { addressOf } from "@/ui/base-path";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import styles from "./EntryCard.module.css";

/** Explains why a link does not work, and what to do. */
export function DeadLink({ error, text, onRetry }: { error: Error; text: string; onRetry: () => unknown }) {
  if (!(error instanceof ApiError) || error.status !== 401) return <LoadFailure error={error} onRetry={onRetry} />;
  return (
    <>
      <Notice tone="warn">{text}</Notice>
      <div className={styles.help}>
        <p>
          <Trans>
            Each link works once, and for a limited time. If you have used it already, your account is there: <a href={addressOf("/")}>sign in</a>.
          </Trans>
        </p>
      </div>
    </>
  );
}

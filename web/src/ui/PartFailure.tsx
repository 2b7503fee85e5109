import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useEffectEvent } from "react";
import { Button } from "./Button";
import { connection, onConnectionChange, useConnection } from "./connection";
import { Dialog } from "./Dialog";
import { reloadOnce } from "./missing-parts";
import { Notice } from "./Notice";
import { Page } from "./Page";
import styles from "./PartFailure.module.css";

/** How long after a failure a part is tried once more. */
const RETRY_MS = 1000;

interface PartFailureProps {
  /** Where it is. */
  as: "notice" | "page" | "dialog";
  /** How often it was tried again. */
  retries: number;
  onRetry: () => void;
  /** Closes the dialog that the part is. */
  onClose?: (() => void) | undefined;
}

/** Says that a part of the page could not be loaded, and tries again when the connection is back. */
export function PartFailure({ as, retries, onRetry, onClose }: PartFailureProps) {
  const { t } = useLingui();
  const state = useConnection();
  const retry = useEffectEvent(() => {
    if (connection() === "online") onRetry();
  });
  useEffect(() => onConnectionChange(() => retry()), []);
  useEffect(() => {
    // The connection may have come back while the part was being loaded.
    if (retries > 0) return undefined;
    const timer = setTimeout(() => retry(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [retries]);
  // Some browsers remember a file that failed until the page is loaded again.
  const isStuck = retries > 0 && state === "online";
  // A page that is not there yet has nothing to lose; drafts are kept, and answers continue on the server.
  useEffect(() => {
    if (isStuck && as === "page") reloadOnce();
  }, [isStuck, as]);
  const notice = (
    <Notice
      tone="warn"
      actions={
        <Button size="sm" onClick={isStuck ? () => location.reload() : onRetry}>
          {isStuck ? <Trans>Reload</Trans> : <Trans>Retry</Trans>}
        </Button>
      }
    >
      {state === "online" ? (
        <Trans>This part of EchoMind could not be loaded.</Trans>
      ) : (
        <Trans>This part of EchoMind is not on this device yet. It opens as soon as there is a connection.</Trans>
      )}
    </Notice>
  );
  if (as === "page") return <Page title={t`Not loaded`}>{notice}</Page>;
  if (as === "dialog" && onClose) {
    return (
      <Dialog title={t`Not loaded`} onClose={onClose}>
        {notice}
      </Dialog>
    );
  }
  return <div className={styles.failure}>{notice}</div>;
}

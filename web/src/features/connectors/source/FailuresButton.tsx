import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { failuresQuery } from "@/data/sources";
import type { ConnectorSyncJson } from "@/gen/echomind/public/v1/connector_pb";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { LoadFailure } from "@/ui/LoadFailure";
import styles from "./SyncPanel.module.css";

/** Opens the list of what a sync could not read, for those who manage its source. */
export function FailuresButton({ sync }: { sync: ConnectorSyncJson }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Trans>Show failures</Trans>
      </Button>
      {isOpen && <Failures sync={sync} onClose={() => setOpen(false)} />}
    </>
  );
}

function Failures({ sync, onClose }: { sync: ConnectorSyncJson; onClose: () => void }) {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(failuresQuery(sync));
  return (
    <Dialog title={t`Items that could not be read`} isWide onClose={onClose}>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      <ul className={styles.list}>
        {data?.map(({ sourceId = "", name = "", message = "", isRetryable = false, resolvedAt }, index) => (
          <li key={index}>
            <strong>{name || sourceId || t`An item that you may not read in the connected system`}</strong>: {serverWords(message)} {resolvedAt ? t`Read since.` : isRetryable && t`The next sync tries it again.`}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

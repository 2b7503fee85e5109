import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { checkpointsQuery, useDeleteCheckpoint, useRestoreCheckpoint } from "@/data/checkpoints";
import type { CheckpointJson } from "@/gen/echomind/public/v1/checkpoint_pb";
import { Badge } from "@/ui/Badge";
import { Button, IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Dialog } from "@/ui/Dialog";
import { formatMoment } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { QueryView } from "@/ui/QueryView";
import { Spinner } from "@/ui/Spinner";
import { checkpointReason } from "./reason";
import styles from "./CheckpointsDialog.module.css";

/** The states of a conversation that one can go back to. */
export function CheckpointsDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const { t } = useLingui();
  const [restored, setRestored] = useState<CheckpointJson>();
  const list = useInfiniteQuery(checkpointsQuery(session));
  const checkpoints = list.data?.pages.flatMap((page) => page.checkpoints ?? []);
  const remove = useDeleteCheckpoint(session);
  const restoration = useRestoreCheckpoint(session);
  const restore = async ({ id = "" }: CheckpointJson) => {
    await restoration.mutateAsync(id);
    onClose();
  };
  return (
    <Dialog title={t`Checkpoints`} onClose={onClose}>
      <QueryView error={list.error} onRetry={list.refetch} isPending={list.isPending} label={t`Loading the checkpoints`} />
      {checkpoints?.length === 0 && <p className={styles.none}><Trans>No checkpoints yet.</Trans></p>}
      <ul className={styles.list} aria-label={t`Checkpoints`}>
        {checkpoints?.map((checkpoint) => (
          <li key={checkpoint.id} className={styles.checkpoint}>
            <div className={styles.words}>
              <span className={styles.name}>{checkpoint.name}</span>
              <span className={styles.meta}>
                {formatMoment(checkpoint.creationDate)}
                {checkpointReason(checkpoint.checkpointType) && (
                  <Badge tone="neutral">{checkpointReason(checkpoint.checkpointType)}</Badge>
                )}
              </span>
              {checkpoint.description && <span className={styles.meta}>{checkpoint.description}</span>}
            </div>
            <Button size="sm" aria-label={t`Restore ${checkpoint.name ?? ""}`} onClick={() => setRestored(checkpoint)}>
              <RotateCcw size={14} /> <Trans>Restore</Trans>
            </Button>
            <IconButton
              label={t`Remove ${checkpoint.name ?? ""}`}
              disabled={remove.isPending}
              onClick={() => remove.mutate(checkpoint.id ?? "")}
            >
              <Trash2 size={15} />
            </IconButton>
          </li>
        ))}
      </ul>
      {remove.error && <Notice tone="danger">{remove.error.message}</Notice>}
      {list.hasNextPage && (
        <Button size="sm" variant="ghost" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {list.isFetchingNextPage && <Spinner />} <Trans>Show older</Trans>
        </Button>
      )}
      {restored && (
        <ConfirmDialog
          title={t`Restore this checkpoint?`}
          text={t`Messages, plan and summary return to “${restored.name ?? ""}”. Later messages stay as another branch, and the current state is saved as a checkpoint.`}
          action={t`Restore`}
          onConfirm={() => restore(restored)}
          onClose={() => setRestored(undefined)}
        />
      )}
    </Dialog>
  );
}

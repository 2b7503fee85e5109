import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { FolderInput, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteDocuments, useRetryDocuments } from "@/data/documents";
import type { DocumentFilterJson, DocumentSelectionJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import type { Selection } from "@/ui/table/selection";
import { showFailure, showToast } from "@/ui/toasts";
import { changedMessage } from "./messages";
import { MoveDialog } from "./MoveDialog";

interface BulkActionsProps {
  selection: Selection;
  /** Description of all matches. */
  filter: DocumentFilterJson;
  matching: number;
  onDone: () => void;
}

/** Actions of the selected documents. For all matches the filter is sent, which the server applies. */
export function BulkActions({ selection: { ids, allMatching }, filter, matching, onDone }: BulkActionsProps) {
  const { t } = useLingui();
  const [dialog, setDialog] = useState<"move" | "delete">();
  const removal = useDeleteDocuments();
  const retry = useRetryDocuments();
  const meant: DocumentSelectionJson = allMatching ? { filter } : { ids: [...ids] };
  const count = allMatching ? matching : ids.size;
  const what = plural(count, { one: "# document", other: "# documents" });
  const close = () => setDialog(undefined);
  const done = (action: "delete" | "retry", { documents = "0", inBackground = false }: { documents?: string; inBackground?: boolean }) => {
    showToast({ message: changedMessage(action, Number(documents), inBackground) });
    onDone();
  };
  return (
    <>
      <Button size="sm" disabled={retry.isPending} onClick={() => retry.mutate(meant, { onSuccess: (result) => done("retry", result), onError: showFailure })}>
        <RotateCcw size={14} aria-hidden /> {t`Reprocess`}
      </Button>
      <Button size="sm" onClick={() => setDialog("move")}>
        <FolderInput size={14} aria-hidden /> {t`Move to…`}
      </Button>
      <Button size="sm" onClick={() => setDialog("delete")}>
        <Trash2 size={14} aria-hidden /> {t`Delete`}
      </Button>
      {dialog === "move" && <MoveDialog selection={meant} what={what} onClose={close} onDone={onDone} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Delete ${what}?`}
          text={t`They will no longer be found. Answers that cite them keep their quotes. Documents that you may not change are left.`}
          action={t`Delete`}
          onConfirm={async () => done("delete", await removal.mutateAsync(meant))}
          onClose={close}
        />
      )}
    </>
  );
}

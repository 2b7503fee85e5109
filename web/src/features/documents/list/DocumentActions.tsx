import { useLingui } from "@lingui/react/macro";
import { Download, FileText, Flame, FolderInput, Pencil, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { downloadUrl } from "@/api/routes";
import { isProcessing, useDeleteDocuments, useRemoveDocument, useRetryDocuments } from "@/data/documents";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { ActionsMenu } from "@/ui/ActionsMenu";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { MenuItem, MenuLink } from "@/ui/Menu";
import { showFailure, showToast } from "@/ui/toasts";
import { nameOf } from "./labels";
import { MoveDialog } from "./MoveDialog";
import { RenameDialog } from "./RenameDialog";

/** Actions of a document, in a menu. */
export function DocumentActions({ document, isManaged }: { document: DocumentJson; isManaged: boolean }) {
  const { t } = useLingui();
  const { id = "" } = document;
  const name = nameOf(document);
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<"rename" | "move" | "delete" | "purge">();
  const retry = useRetryDocuments();
  const removal = useDeleteDocuments();
  const purge = useRemoveDocument(id);
  const close = () => setDialog(undefined);
  const isBusy = isProcessing(document);
  return (
    <>
      <ActionsMenu label={t`Actions for ${name}`}>
        <MenuItem icon={<FileText size={15} />} onSelect={() => navigate(`/documents/${id}`)}>
          {t`Open`}
        </MenuItem>
        <MenuLink icon={<Download size={15} />} href={downloadUrl(id)} download>
          {t`Download`}
        </MenuLink>
        {isManaged && (
          <MenuItem icon={<Pencil size={15} />} onSelect={() => setDialog("rename")}>
            {t`Rename`}
          </MenuItem>
        )}
        {isManaged && !isBusy && (
          <MenuItem icon={<FolderInput size={15} />} onSelect={() => setDialog("move")}>
            {t`Move to…`}
          </MenuItem>
        )}
        {isManaged && !isBusy && (
          <MenuItem
            icon={<RotateCcw size={15} />}
            onSelect={() => retry.mutate({ ids: [id] }, { onError: showFailure, onSuccess: () => showToast({ message: t`“${name}” is processed again.` }) })}
          >
            {document.status === "DOCUMENT_STATUS_FAILED" ? t`Retry` : t`Reprocess`}
          </MenuItem>
        )}
        {isManaged && (
          <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("delete")}>
            {t`Delete`}
          </MenuItem>
        )}
        {isManaged && (
          <MenuItem icon={<Flame size={15} />} isDangerous onSelect={() => setDialog("purge")}>
            {t`Delete permanently`}
          </MenuItem>
        )}
      </ActionsMenu>
      {dialog === "rename" && <RenameDialog id={id} name={name} onClose={close} />}
      {dialog === "move" && <MoveDialog selection={{ ids: [id] }} what={t`“${name}”`} from={document.connectorId} onClose={close} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t`Delete this document?`}
          text={t`“${name}” will no longer be found. Answers that cite it keep their quotes.`}
          action={t`Delete`}
          onConfirm={() => removal.mutateAsync({ ids: [id] })}
          onClose={close}
        />
      )}
      {dialog === "purge" && (
        <ConfirmDialog
          title={t`Delete this document permanently?`}
          text={t`The file, the text and the passages of “${name}” are deleted now. Answers that cite it keep their quotes.`}
          action={t`Delete permanently`}
          onConfirm={() => purge.mutateAsync({ isPermanent: true })}
          onClose={close}
        />
      )}
    </>
  );
}

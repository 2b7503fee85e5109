import { Download, Ellipsis, FileText, Flame, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { downloadUrl } from "@/api/routes";
import { mayManage, readersOf } from "@/data/connectors";
import { isProcessing, useRemoveDocument, useRetryDocument } from "@/data/documents";
import { useCurrentUser } from "@/data/users";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { IconButton } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatBytes, formatCount, formatMoment } from "@/ui/format";
import { Menu, MenuItem, MenuLink } from "@/ui/Menu";
import { Notice } from "@/ui/Notice";
import { Row } from "@/ui/Rows";
import { DocumentStatusBadge } from "./DocumentStatusBadge";
import styles from "./DocumentRow.module.css";

interface DocumentRowProps {
  document: DocumentJson;
  connector: ConnectorJson | undefined;
}

/** A document in the list: what it is, how far it is, and what one can do with it. */
export function DocumentRow({ document, connector }: DocumentRowProps) {
  const { id = "", title, sourceId = "", statusMessage } = document;
  const name = title || sourceId;
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<"delete" | "purge">();
  const isManaged = mayManage(useCurrentUser(), connector);
  const retry = useRetryDocument(id);
  const removal = useRemoveDocument(id);
  const hasText = document.chunkingSession !== undefined && document.chunkingSession !== "";
  return (
    <Row
      name={name}
      title={sourceId}
      href={hasText ? `/documents/${id}` : undefined}
      badges={<DocumentStatusBadge document={document} />}
      facts={facts(document, connector)}
      actions={
        <Menu
          trigger={
            <IconButton label={`Actions for ${name}`}>
              <Ellipsis size={16} />
            </IconButton>
          }
        >
          {hasText && (
            <MenuItem icon={<FileText size={15} />} onSelect={() => navigate(`/documents/${id}`)}>
              Open text
            </MenuItem>
          )}
          <MenuLink icon={<Download size={15} />} href={downloadUrl(id)} download>
            Download
          </MenuLink>
          {isManaged && !isProcessing(document) && (
            <MenuItem icon={<RotateCcw size={15} />} onSelect={() => retry.mutate()}>
              {document.status === "DOCUMENT_STATUS_FAILED" ? "Retry" : "Reprocess"}
            </MenuItem>
          )}
          {isManaged && (
            <MenuItem icon={<Trash2 size={15} />} isDangerous onSelect={() => setDialog("delete")}>
              Delete
            </MenuItem>
          )}
          {isManaged && (
            <MenuItem icon={<Flame size={15} />} isDangerous onSelect={() => setDialog("purge")}>
              Delete permanently
            </MenuItem>
          )}
        </Menu>
      }
    >
      {statusMessage && document.status !== "DOCUMENT_STATUS_COMPLETED" && (
        <p className={document.status === "DOCUMENT_STATUS_FAILED" ? styles.failure : styles.progress}>{statusMessage}</p>
      )}
      {retry.error && <Notice tone="danger">{retry.error.message}</Notice>}
      {dialog === "delete" && (
        <ConfirmDialog
          title="Delete this document?"
          text={`“${name}” will no longer be found. Answers that cite it keep their quotes.`}
          action="Delete"
          onConfirm={() => removal.mutateAsync({ isPermanent: false })}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "purge" && (
        <ConfirmDialog
          title="Delete this document permanently?"
          text={`The file, the text and the passages of “${name}” are deleted now. Answers that cite it keep their quotes.`}
          action="Delete permanently"
          onConfirm={() => removal.mutateAsync({ isPermanent: true })}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Row>
  );
}

function facts(document: DocumentJson, connector: ConnectorJson | undefined): string[] {
  return [
    connector?.name ?? "",
    readersOf(connector),
    document.chunkCount ? formatCount(document.chunkCount, "passage") : "",
    Number(document.sizeBytes ?? 0) > 0 ? formatBytes(Number(document.sizeBytes)) : "",
    formatMoment(document.lastUpdate ?? document.creationDate),
  ].filter(Boolean);
}

/** The columns of the documents' table. */
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Link } from "wouter";
import { serverWords } from "@/api/error-words";
import { mayManage, useReaders } from "@/data/connectors";
import { useCurrentUser } from "@/data/users";
import type { ConnectorJson } from "@/gen/echomind/public/v1/connector_pb";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { formatBytes, formatMoment } from "@/ui/format";
import type { Column } from "@/ui/table/columns";
import { DocumentActions } from "./DocumentActions";
import { DocumentStatusBadge } from "./DocumentStatusBadge";
import { KIND_LABELS, kindWordOf, nameOf, pathOf } from "./labels";
import styles from "./columns.module.css";

const HEADERS = {
  title: msg`Name`,
  status: msg`Status`,
  collection: msg`Collection`,
  size: msg`Size`,
  added: msg`Added`,
  actions: msg`Actions`,
};

/** The columns, including those with data of the documents' collections. */
export function useColumns(connectors: readonly ConnectorJson[]): readonly Column<DocumentJson>[] {
  const { t } = useLingui();
  const user = useCurrentUser();
  const connectorOf = (document: DocumentJson) => connectors.find(({ id }) => id === document.connectorId);
  return [
    { id: "title", header: t(HEADERS.title), isSortable: true, cell: (document) => <NameCell document={document} /> },
    { id: "status", header: t(HEADERS.status), width: "8.5rem", cell: (document) => <DocumentStatusBadge document={document} /> },
    {
      id: "collection",
      header: t(HEADERS.collection),
      width: "10rem",
      isWideOnly: true,
      cell: (document) => <CollectionCell connector={connectorOf(document)} />,
    },
    {
      id: "size",
      header: t(HEADERS.size),
      width: "6rem",
      align: "end",
      isSortable: true,
      isWideOnly: true,
      cell: ({ sizeBytes }) => (Number(sizeBytes ?? 0) > 0 ? formatBytes(Number(sizeBytes)) : ""),
    },
    { id: "added", header: t(HEADERS.added), width: "7rem", isSortable: true, isWideOnly: true, cell: ({ creationDate }) => formatMoment(creationDate) },
    {
      id: "actions",
      header: t(HEADERS.actions),
      width: "3.75rem",
      isHeaderHidden: true,
      cell: (document) => <DocumentActions document={document} isManaged={mayManage(user, connectorOf(document))} />,
    },
  ];
}

function NameCell({ document }: { document: DocumentJson }) {
  const { t } = useLingui();
  const { icon: Icon, label } = KIND_LABELS[kindWordOf(document)];
  const { id = "", sourceId = "", status, statusMessage } = document;
  const name = nameOf(document);
  const path = pathOf(document);
  const note = status === "DOCUMENT_STATUS_COMPLETED" ? "" : serverWords(statusMessage);
  return (
    <div className={styles.name}>
      <Icon size={16} aria-label={t(label)} className={styles.icon} />
      <div className={styles.texts}>
        <Link href={`/documents/${id}`} title={sourceId}>
          {name}
        </Link>
        {(note || path !== name) && (
          <span className={status === "DOCUMENT_STATUS_FAILED" ? styles.failure : styles.path} title={note || sourceId}>
            {note || path}
          </span>
        )}
      </div>
    </div>
  );
}

function CollectionCell({ connector }: { connector: ConnectorJson | undefined }) {
  const readersOf = useReaders();
  if (!connector) return null;
  return (
    <div className={styles.texts}>
      <span>{connector.name}</span>
      <span className={styles.path}>{readersOf(connector)}</span>
    </div>
  );
}

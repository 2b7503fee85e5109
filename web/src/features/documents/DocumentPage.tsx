import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Download, ExternalLink, Users } from "lucide-react";
import { useState } from "react";
import { serverWords } from "@/api/error-words";
import { downloadUrl } from "@/api/routes";
import { connectorsQuery, mayManage, useReaders } from "@/data/connectors";
import { documentQuery } from "@/data/documents";
import { useCurrentUser } from "@/data/users";
import { ReadersDialog } from "@/features/source-people/ReadersDialog";
import { Button } from "@/ui/Button";
import { formatBytes } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { LastChange } from "@/ui/LastChange";
import { Page } from "@/ui/Page";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { Spinner } from "@/ui/Spinner";
import { DocumentActions } from "./list/DocumentActions";
import { DocumentStatusBadge } from "./list/DocumentStatusBadge";
import { nameOf, pathOf } from "./list/labels";
import { DocumentText } from "./text/DocumentText";
import { DocumentChunks } from "./view/DocumentChunks";
import { Members } from "./view/Members";
import { NoText } from "./view/NoText";
import { Original } from "./view/Original";
import { VIEW_LABELS, ViewTabs, VIEWS, type View } from "./view/ViewTabs";
import styles from "./DocumentPage.module.css";

/** Text shown at first, in code points. */
const FIRST = 20_000;

const CODECS = { view: oneOf(VIEWS, "original"), p: text(), chunk: text() };

/** A document: as it is, as text, and cut into passages. */
export function DocumentPage({ id }: { id: string }) {
  const { t } = useLingui();
  const readersOf = useReaders();
  const user = useCurrentUser();
  const { data: document, error, refetch } = useQuery(documentQuery(id));
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const [state, setState] = useSearchState<{ view: View; p: string; chunk: string }>(CODECS);
  const { data: parent } = useQuery({ ...documentQuery(document?.parentId ?? ""), enabled: Boolean(document?.parentId) });
  const [showsReaders, setShowsReaders] = useState(false);
  const connector = connectors.find((one) => one.id === document?.connectorId);
  const parents = [{ href: "/documents", label: t`Documents` }];
  if (connector) parents.push({ href: `/documents?source=${connector.id ?? 0}`, label: connector.name ?? "" });
  if (parent) parents.push({ href: `/documents/${parent.id ?? ""}`, label: nameOf(parent) });
  if (!document) {
    return (
      <Page title={t`Document`} parents={parents}>
        {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading the document`} />}
      </Page>
    );
  }
  const isManaged = mayManage(user, connector);
  const hasText = Boolean(document.chunkingSession);
  return (
    <Page title={nameOf(document)} parents={parents} actions={<DocumentActions document={document} isManaged={isManaged} />}>
      <p className={styles.meta}>
        <DocumentStatusBadge document={document} />
        <span className={styles.path} title={document.sourceId}>
          {pathOf(document)}
        </span>
        <span>{formatBytes(Number(document.sizeBytes ?? 0))}</span>
        <span>{t`Visible to: ${readersOf(connector)}`}</span>
        {isManaged && connector?.permissionMode === "PERMISSION_MODE_SOURCE" && (
          <Button size="sm" variant="ghost" onClick={() => setShowsReaders(true)}>
            <Users size={14} aria-hidden /> {t`Who can read this`}
          </Button>
        )}
        {/^https?:/.test(document.originalUrl ?? "") && (
          <a href={document.originalUrl} target="_blank" rel="noopener noreferrer">
            <ExternalLink size={14} aria-hidden /> {t`Open in the connected system`}
          </a>
        )}
        <a href={downloadUrl(id)} download>
          <Download size={14} aria-hidden /> {t`Download`}
        </a>
      </p>
      {showsReaders && connector && <ReadersDialog documentId={id} connector={connector} onClose={() => setShowsReaders(false)} />}
      {document.status === "DOCUMENT_STATUS_FAILED" && <Notice tone="danger">{serverWords(document.statusMessage)}</Notice>}
      {document.status === "DOCUMENT_STATUS_COMPLETED" && document.statusMessage && (
        <Notice tone="info">{serverWords(document.statusMessage)}</Notice>
      )}
      <LastChange item={document} isSentence />
      <Members id={id} />
      <ViewTabs view={state.view} onChange={(view) => setState({ view, p: "", chunk: "" }, "push")} />
      <div className={styles.view}>
        <h2 className="visually-hidden">{t(VIEW_LABELS[state.view])}</h2>
        {state.view === "original" && <Original document={document} page={Number(state.p) || 1} />}
        {state.view !== "original" && !hasText && <NoText isFailed={document.status === "DOCUMENT_STATUS_FAILED"} />}
        {state.view === "text" && hasText && <DocumentText id={id} from={0} to={FIRST} />}
        {state.view === "chunks" && hasText && <DocumentChunks id={id} chosen={state.chunk} />}
      </div>
    </Page>
  );
}

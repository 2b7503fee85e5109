import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Download } from "lucide-react";
import { Link } from "wouter";
import { downloadUrl } from "@/api/routes";
import { documentQuery } from "@/data/documents";
import { formatBytes, formatCount } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import { DocumentStatusBadge } from "./list/DocumentStatusBadge";
import { DocumentText } from "./text/DocumentText";
import styles from "./DocumentPage.module.css";

/** How much text is shown at first, in code points. */
const FIRST = 20_000;

/** A document's text, as it was extracted. */
export function DocumentPage({ id }: { id: string }) {
  const { data: document, error, refetch } = useQuery(documentQuery(id));
  return (
    <main className={styles.page}>
      <Link href="/documents" className={styles.back}>
        <ArrowLeft size={15} aria-hidden /> Documents
      </Link>
      {error && <LoadFailure error={error} onRetry={refetch} />}
      {!document && !error && <Spinner label="Loading the document" />}
      {document && (
        <>
          <title>{`${document.title || document.sourceId || "Document"} · EchoMind`}</title>
          <header className={styles.header}>
            <h1>{document.title || document.sourceId}</h1>
            <p className={styles.meta}>
              <DocumentStatusBadge document={document} />
              <span>{formatCount(document.chunkCount ?? 0, "passage")}</span>
              <span>{formatBytes(Number(document.sizeBytes ?? 0))}</span>
              <a href={downloadUrl(id)} download>
                <Download size={14} aria-hidden /> Download
              </a>
            </p>
          </header>
          <DocumentText id={id} from={0} to={FIRST} />
        </>
      )}
    </main>
  );
}

import { useLingui } from "@lingui/react/macro";
import { lazy, Suspense } from "react";
import { downloadUrl } from "@/api/routes";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { Spinner } from "@/ui/Spinner";
import { kindWordOf } from "../list/labels";
import { DocumentText } from "../text/DocumentText";

const PdfView = lazy(async () => ({ default: (await import("../pdf/PdfView")).PdfView }));

/** How much text is shown at first, in code points. */
const FIRST = 20_000;

/** A document as it is, where a browser can show it; otherwise its text. */
export function Original({ document, page, quote = "" }: { document: DocumentJson; page: number; quote?: string }) {
  const { t } = useLingui();
  const { id = "", chunkingSession } = document;
  if (kindWordOf(document) === "pdf") {
    return (
      <Suspense fallback={<Spinner label={t`Loading the document`} />}>
        <PdfView url={downloadUrl(id)} page={page} quote={quote} />
      </Suspense>
    );
  }
  if (!chunkingSession) return <p>{t`The text is not ready yet.`}</p>;
  return <DocumentText id={id} from={0} to={FIRST} />;
}

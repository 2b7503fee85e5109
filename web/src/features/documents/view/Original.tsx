import { useLingui } from "@lingui/react/macro";
import { downloadUrl } from "@/api/routes";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { lazyPart } from "@/ui/lazy-part";
import { Spinner } from "@/ui/Spinner";
import { kindWordOf } from "../list/labels";
import type { Span } from "../text/DocumentText";
import { FormattedText } from "../text/FormattedText";
import { ImageView } from "./ImageView";
import { NoText } from "./NoText";

const PdfView = lazyPart(async () => (await import("../pdf/PdfView")).PdfView);

interface OriginalProps {
  document: DocumentJson;
  /** The page to show first of one that has pages. */
  page: number;
  /** The text to highlight, and its position in the document's text. */
  quote?: string;
  span?: Span | undefined;
}

/** A document in its original form: a PDF as pages, an image as it is, others with headings, lists and tables. */
export function Original({ document, page, quote = "", span }: OriginalProps) {
  const { t } = useLingui();
  const { id = "", chunkingSession } = document;
  if (kindWordOf(document) === "pdf") {
    return <PdfView url={downloadUrl(id)} page={page} quote={quote} fallback={<Spinner label={t`Loading the document`} />} />;
  }
  if (kindWordOf(document) === "image") return <ImageView document={document} />;
  if (!chunkingSession) return <NoText isFailed={document.status === "DOCUMENT_STATUS_FAILED"} />;
  return <FormattedText document={document} quote={quote} span={span} />;
}

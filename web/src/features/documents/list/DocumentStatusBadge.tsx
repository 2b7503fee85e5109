import { Trans } from "@lingui/react/macro";
import type { DocumentJson } from "@/gen/echomind/public/v1/document_pb";
import { Badge } from "@/ui/Badge";
import { Spinner } from "@/ui/Spinner";

/** Status of a document. */
export function DocumentStatusBadge({ document: { status, chunkCount } }: { document: DocumentJson }) {
  switch (status) {
    case "DOCUMENT_STATUS_PENDING":
      return (
        <Badge tone="neutral">
          <Trans>Waiting</Trans>
        </Badge>
      );
    case "DOCUMENT_STATUS_PROCESSING":
      return (
        <Badge tone="accent">
          <Spinner /> {chunkCount ? <Trans>Updating</Trans> : <Trans>Processing</Trans>}
        </Badge>
      );
    case "DOCUMENT_STATUS_FAILED":
      return (
        <Badge tone="danger">
          <Trans>Failed</Trans>
        </Badge>
      );
    case "DOCUMENT_STATUS_COMPLETED":
      return (
        <Badge tone="accent">
          <Trans>Ready</Trans>
        </Badge>
      );
    default:
      return null;
  }
}

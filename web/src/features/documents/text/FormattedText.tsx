import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { documentMarkdownQuery, documentTextQuery, filesQuery, MARKDOWN_PART } from "@/data/documents";
import { SourceText } from "@/features/citations/SourceText";
import type { DocumentJson, DocumentTextJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { DocumentText, type Span } from "./DocumentText";
import { Properties } from "./Properties";
import { hasFileLinks, linkedFile } from "./files";
import { splitFrontMatter } from "./front-matter";
import styles from "./FormattedText.module.css";

/** Plain text shown around a passage at first, in code points. */
const AROUND = 1500;
const FIRST_PLAIN = 20_000;

interface FormattedTextProps {
  document: DocumentJson;
  /** The words to mark; empty for none. */
  quote: string;
  /** Their position in the extracted text, if known. */
  span?: Span | undefined;
}

/** A document with its headings, lists and tables, and a quote marked in it; as plain text when it has none of these. */
export function FormattedText({ document, quote, span }: FormattedTextProps) {
  const { t } = useLingui();
  const { id = "" } = document;
  const first = useInfiniteQuery(documentMarkdownQuery(id, 0));
  const cited = useQuery({ ...documentTextQuery(id, span?.start ?? 0, span?.end ?? 0), enabled: span !== undefined });
  const error = first.error ?? cited.error;
  if (error) return <LoadFailure error={error} onRetry={() => Promise.all([first.refetch(), cited.refetch()])} />;
  const [page] = first.data?.pages ?? [];
  if (!page || (span && !cited.data)) return <Spinner label={t`Loading the text`} />;
  if (page.form !== "TEXT_FORM_MARKDOWN") return <PlainText id={id} span={span} />;
  return <Parts document={document} from={placeOf(span, cited.data, page)} quote={(span && cited.data?.text) || quote} />;
}

function PlainText({ id, span }: { id: string; span: Span | undefined }) {
  if (!span) return <DocumentText id={id} from={0} to={FIRST_PLAIN} />;
  return <DocumentText id={id} from={Math.max(0, span.start - AROUND)} to={span.end + AROUND} span={span} />;
}

/** The approximate position of a range of the extracted text in the Markdown, in proportion to their lengths. */
function placeOf(span: Span | undefined, text: DocumentTextJson | undefined, { length = 0 }: DocumentTextJson): number {
  if (!span || !text?.length || length <= MARKDOWN_PART) return 0;
  return Math.max(0, Math.floor((span.start / text.length) * length - MARKDOWN_PART / 2));
}

function Parts({ document, from, quote }: { document: DocumentJson; from: number; quote: string }) {
  const { t } = useLingui();
  const { id = "" } = document;
  const { data, error, refetch, hasPreviousPage, fetchPreviousPage, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(documentMarkdownQuery(id, from));
  const [isMissing, setMissing] = useState(false);
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!data) return <Spinner label={t`Loading the text`} />;
  const begin = data.pages[data.pageParams.findIndex((part) => (part as Span).start === from)]?.start;
  return (
    <div className={styles.source}>
      {isMissing && (
        <Notice tone="info">
          {t`The cited passage could not be marked in the document. It says:`}
          <blockquote className={styles.passage}>{quote}</blockquote>
        </Notice>
      )}
      {hasPreviousPage && (
        <Button size="sm" variant="ghost" disabled={isFetching} onClick={() => void fetchPreviousPage()}>
          <Trans>Show previous text</Trans>
        </Button>
      )}
      {data.pages.map((part) => {
        const { start = 0 } = part;
        const isFirst = start === begin;
        return <Part key={start} document={document} part={part} quote={isFirst ? quote : ""} onMarked={isFirst ? (isFound) => setMissing(!isFound) : undefined} />;
      })}
      {hasNextPage && (
        <Button size="sm" variant="ghost" disabled={isFetching} onClick={() => void fetchNextPage()}>
          <Trans>Show more text</Trans>
        </Button>
      )}
    </div>
  );
}

interface PartProps {
  document: DocumentJson;
  part: DocumentTextJson;
  quote: string;
  onMarked: ((isFound: boolean) => void) | undefined;
}

function Part({ document, part, quote, onMarked }: PartProps) {
  const { text = "", start = 0, tableHead = "" } = part;
  const { properties, body } = start === 0 ? splitFrontMatter(text) : { properties: [], body: text };
  const { connectorId = 0, sourceId = "" } = document;
  const { data: files } = useQuery({ ...filesQuery(connectorId, sourceId.replace(/(?:^|\/)[^/]*$/, "")), enabled: hasFileLinks(body) });
  const documentOf = useMemo(() => {
    const ids = new Map(files);
    return (link: string) => ids.get(linkedFile(sourceId, link)) ?? "";
  }, [files, sourceId]);
  return (
    <>
      {properties.length > 0 && <Properties properties={properties} />}
      <SourceText content={tableHead ? `${tableHead}\n${body}` : body} quote={quote} onMarked={onMarked} documentOf={documentOf} />
    </>
  );
}

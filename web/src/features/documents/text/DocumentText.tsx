import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useState, type ReactNode } from "react";
import { sliceCodePoints } from "@/api/code-points";
import { documentTextQuery } from "@/data/documents";
import type { DocumentTextJson } from "@/gen/echomind/public/v1/document_pb";
import { Button } from "@/ui/Button";
import { LoadFailure } from "@/ui/LoadFailure";
import { Spinner } from "@/ui/Spinner";
import styles from "./DocumentText.module.css";

/** Additional text per click, in code points. */
const MORE = 8000;

/** A range of a text, in code points, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

interface DocumentTextProps {
  id: string;
  /** The part to show first, in code points. */
  from: number;
  to: number;
  /** The range to highlight. */
  span?: Span;
  /** The processing version that `span` refers to; it is invalid for others. */
  expectedVersion?: string | undefined;
  /** Shown instead of the text if that has changed. */
  whenChanged?: ReactNode;
}

/** A part of a document's extracted text, which can be widened in both directions. */
export function DocumentText({ id, from, to, span, expectedVersion, whenChanged }: DocumentTextProps) {
  const { t } = useLingui();
  const [range, setRange] = useState({ from, to });
  const { data, error, refetch } = useQuery({
    ...documentTextQuery(id, range.from, range.to),
    placeholderData: keepPreviousData,
  });
  if (error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!data) return <Spinner label={t`Loading the text`} />;
  if (expectedVersion && data.chunkingSession !== expectedVersion) return whenChanged;
  const { start = 0, end = 0, length = 0 } = data;
  return (
    <>
      {start > 0 && (
        <Button size="sm" variant="ghost" onClick={() => setRange({ from: Math.max(0, start - MORE), to: range.to })}>
          <Trans>Show previous text</Trans>
        </Button>
      )}
      <Highlighted data={data} span={span} />
      {end < length && (
        <Button size="sm" variant="ghost" onClick={() => setRange({ from: range.from, to: end + MORE })}>
          <Trans>Show more text</Trans>
        </Button>
      )}
    </>
  );
}

function Highlighted({ data, span }: { data: DocumentTextJson; span: Span | undefined }) {
  const { text = "", start = 0 } = data;
  const show = useCallback((mark: HTMLElement | null) => mark?.scrollIntoView({ block: "center" }), []);
  if (!span || span.end <= span.start) return <div className={styles.text}>{withHeadings(text)}</div>;
  return (
    <div className={styles.text}>
      {withHeadings(sliceCodePoints(text, 0, span.start - start))}
      <mark ref={show} className={styles.mark}>
        {withHeadings(sliceCodePoints(text, span.start - start, span.end - start))}
      </mark>
      {withHeadings(sliceCodePoints(text, span.end - start))}
    </div>
  );
}

/** Extracted text marks headings as Markdown does. Only these are shown as such: the rest stays as the source has it. */
function withHeadings(text: string): ReactNode[] {
  const parts = text.split(/^#{1,6} +(.+)$/m);
  // Parts with odd indexes are headings.
  return parts.map((part, index) => (index % 2 ? <strong key={index}>{part}</strong> : part));
}

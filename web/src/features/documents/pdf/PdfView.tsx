import { useLingui } from "@lingui/react/macro";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "@/ui/Button";
import { Notice } from "@/ui/Notice";
import { Spinner } from "@/ui/Spinner";
import { drawPage, openPdf, pageOfQuote, type Box } from "./page";
import styles from "./PdfView.module.css";

interface PdfViewProps {
  url: string;
  /** The page to show first, from 1. */
  page: number;
  /** The text to highlight on it, or on an adjacent page; empty for none. */
  quote: string;
}

/** A PDF page by page, as it is, with a quote highlighted. */
export function PdfView({ url, page, quote }: PdfViewProps) {
  const { t } = useLingui();
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [failure, setFailure] = useState<Error>();
  const [shown, setShown] = useState<{ of: string; number: number }>();
  const key = `${url} ${page} ${quote}`;
  useEffect(() => {
    const task = openPdf(url);
    task.promise.then(setPdf, (error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error))));
    return () => {
      setPdf(undefined);
      setFailure(undefined);
      void task.destroy();
    };
  }, [url]);
  useEffect(() => {
    let isCurrent = true;
    if (pdf) {
      const stated = Math.max(1, Math.min(page, pdf.numPages));
      const show = (number: number) => isCurrent && setShown({ of: key, number });
      pageOfQuote(pdf, stated, quote).then(show, () => show(stated));
    }
    return () => {
      isCurrent = false;
    };
  }, [pdf, page, quote, key]);
  if (failure) return <Notice tone="danger">{t`The PDF cannot be shown: the file is damaged, locked or could not be loaded. Download it to open it elsewhere.`}</Notice>;
  if (!pdf || shown?.of !== key) return <Spinner label={t`Loading the PDF`} />;
  const go = (number: number) => setShown({ of: key, number });
  const { number } = shown;
  const count = pdf.numPages;
  return (
    <div className={styles.view}>
      <div className={styles.pager} role="group" aria-label={t`Pages`}>
        <IconButton label={t`Previous page`} disabled={number <= 1} onClick={() => go(number - 1)}>
          <ChevronLeft size={16} />
        </IconButton>
        <span role="status">{t`Page ${number} of ${count}`}</span>
        <IconButton label={t`Next page`} disabled={number >= count} onClick={() => go(number + 1)}>
          <ChevronRight size={16} />
        </IconButton>
      </div>
      <PdfPage key={number} pdf={pdf} number={number} quote={quote} />
    </div>
  );
}

function PdfPage({ pdf, number, quote }: { pdf: PDFDocumentProxy; number: number; quote: string }) {
  const { t } = useLingui();
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [boxes, setBoxes] = useState<readonly Box[]>([]);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0 || !canvas.current || !text.current) return undefined;
    const stop = new AbortController();
    drawPage(pdf, number, quote, { canvas: canvas.current, text: text.current, width }, stop.signal).then(setBoxes, (error: unknown) => {
      if (!stop.signal.aborted) setFailure(String(error));
    });
    return () => stop.abort();
  }, [pdf, number, quote, width]);
  return (
    <div ref={place} className={styles.page}>
      {failure && <Notice tone="danger">{t`This page cannot be shown: ${failure}`}</Notice>}
      <canvas ref={canvas} className={styles.canvas} aria-hidden />
      {boxes.map((box, index) => (
        <mark key={index} ref={index === 0 ? reveal : undefined} className={styles.box} aria-hidden style={inPercent(box)} />
      ))}
      <div ref={text} className={styles.text} />
    </div>
  );
}

const reveal = (element: HTMLElement | null) => element?.scrollIntoView({ block: "center" });

function inPercent({ left, top, width, height }: Box) {
  return { left: `${left * 100}%`, top: `${top * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` };
}

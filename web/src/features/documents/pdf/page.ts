/** Renders a page of a PDF with a text layer, and finds the boxes of a quote. */
import { getDocument, GlobalWorkerOptions, TextLayer, version, type PDFDocumentProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { findQuoteOrRow, type Place } from "@/features/citations/quote";

GlobalWorkerOptions.workerSrc = workerUrl;

/**
 * URLs of resources that the worker needs for some files: character maps, fonts, decoders. The build copies them next
 * to it.
 */
const PARTS = new URL(import.meta.env.DEV ? "../" : `pdf-${version}/`, new URL(workerUrl, document.baseURI)).href;

/** Maximum device pixel ratio. */
const MAX_DENSITY = 2;

/** A box on a page, in shares of its width and height. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Opens a PDF; call `destroy` of the result to close it. */
export function openPdf(url: string) {
  return getDocument({
    url,
    cMapUrl: `${PARTS}cmaps/`,
    standardFontDataUrl: `${PARTS}standard_fonts/`,
    wasmUrl: `${PARTS}wasm/`,
    iccUrl: `${PARTS}iccs/`,
    // The worker's content security policy allows WebAssembly, but no policy allows eval.
    isEvalSupported: false,
    enableXfa: false,
  });
}

/** The number of the page that has a quote: the stated one, or one beside it; the stated one when none has. */
export async function pageOfQuote(pdf: PDFDocumentProxy, stated: number, quote: string): Promise<number> {
  if (quote === "") return stated;
  for (const number of [stated, stated + 1, stated - 1]) {
    if (number < 1 || number > pdf.numPages) continue;
    const content = await (await pdf.getPage(number)).getTextContent();
    const items = content.items.map((item) => ("str" in item ? item.str : ""));
    if (findQuoteOrRow(items, quote)) return number;
  }
  return stated;
}

/**
 * Renders a page at the width of its container.
 *
 * @returns The boxes of the quote; none if it is not on the page.
 */
export async function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  quote: string,
  { canvas, text, width }: { canvas: HTMLCanvasElement; text: HTMLElement; width: number },
  signal: AbortSignal,
): Promise<Box[]> {
  const page = await pdf.getPage(number);
  const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
  const density = Math.min(window.devicePixelRatio || 1, MAX_DENSITY);
  signal.throwIfAborted();
  canvas.width = Math.floor(viewport.width * density);
  canvas.height = Math.floor(viewport.height * density);
  canvas.style.height = `${viewport.height}px`;
  const drawing = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
  const stop = () => drawing.cancel();
  signal.addEventListener("abort", stop);
  await drawing.promise.finally(() => signal.removeEventListener("abort", stop));
  text.replaceChildren();
  text.style.setProperty("--total-scale-factor", String(viewport.scale));
  const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport });
  await layer.render();
  // It measures text with its own canvas, which it leaves in the page.
  TextLayer.cleanup();
  signal.throwIfAborted();
  const found = quote && findQuoteOrRow(layer.textContentItemsStr, quote);
  return found ? boxesOf(layer.textDivs, found, text.getBoundingClientRect()) : [];
}

function boxesOf(divs: readonly HTMLElement[], [first, last]: [Place, Place], page: DOMRect): Box[] {
  const boxes: Box[] = [];
  for (let item = first.item; item <= last.item; item += 1) {
    const node = divs[item]?.firstChild;
    if (!node) continue;
    const length = node.textContent?.length ?? 0;
    const range = document.createRange();
    range.setStart(node, item === first.item ? Math.min(first.offset, length) : 0);
    range.setEnd(node, item === last.item ? Math.min(last.offset + 1, length) : length);
    for (const rect of range.getClientRects()) {
      boxes.push({
        left: (rect.left - page.left) / page.width,
        top: (rect.top - page.top) / page.height,
        width: rect.width / page.width,
        height: rect.height / page.height,
      });
    }
  }
  return boxes;
}

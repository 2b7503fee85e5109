/** Maps the markers of an answer to stored citations, and lists the sources of an answer. */
import { t } from "@lingui/core/macro";
import type { CitationJson, SourceJson } from "@/gen/echomind/public/v1/chat_message_pb";

/** A source of an answer with all of its citations. */
export interface CitedSource {
  number: number;
  /** Its first citation, which the list of sources shows. */
  first: CitationJson;
  /** Number of sentences that cite it. */
  uses: number;
  /** Number of unsupported ones. */
  unsupported: number;
}

/** The sources of an answer by number. */
export function sourcesOf(citations: readonly CitationJson[]): CitedSource[] {
  const sources = new Map<number, CitedSource>();
  for (const citation of citations) {
    const number = citation.number ?? 0;
    const source = sources.get(number) ?? { number, first: citation, uses: 0, unsupported: 0 };
    source.uses += 1;
    if (!citation.supported) source.unsupported += 1;
    sources.set(number, source);
  }
  return [...sources.values()].sort((a, b) => a.number - b.number);
}

/**
 * The citation of a marker: of those with its number, the one with the nearest sentence.
 *
 * @param place The marker's position in the answer, in code points.
 */
export function citationAt(
  citations: readonly CitationJson[],
  number: number,
  place: number,
): CitationJson | undefined {
  let nearest: CitationJson | undefined;
  let least = Infinity;
  for (const citation of citations) {
    if (citation.number !== number) continue;
    const distance = Math.max((citation.sentenceStart ?? 0) - place, place - (citation.sentenceEnd ?? 0), 0);
    if (distance < least) [nearest, least] = [citation, distance];
  }
  return nearest;
}

/** The citations of an answer that is still being written, not yet checked: `cited` are the numbers of its sources. */
export function uncheckedCitations(cited: readonly number[], sources: readonly SourceJson[]): CitationJson[] {
  return cited.flatMap((sourceNumber, place) => {
    const source = sources.find(({ number }) => number === sourceNumber);
    return source ? [uncheckedCitation(source, place + 1)] : [];
  });
}

function uncheckedCitation(source: SourceJson, number: number): CitationJson {
  const { documentId, title, chunkId, score, page, url } = source;
  return {
    number,
    supported: true,
    ...(documentId !== undefined && { documentId }),
    ...(title !== undefined && { title }),
    ...(chunkId !== undefined && { chunkId }),
    ...(score !== undefined && { score }),
    ...(page !== undefined && { page }),
    ...(url !== undefined && { url }),
  };
}

/** Host of a citation's web page; empty for a document. */
export function hostOf({ url = "" }: Pick<CitationJson, "url">): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** Returns the title of a citation's document or web page. */
export function titleOf({ title, documentId }: CitationJson): string {
  return title || (documentId ? t`Document without access` : t`Removed document`);
}

/** The name of a citation's file where its title is another one; empty otherwise. */
export function fileNameOf({ title, fileName }: CitationJson): string {
  return fileName && fileName !== title ? fileName : "";
}

import type { ChunkJson } from "@/gen/echomind/public/v1/document_pb";

/**
 * The headings above a cited place, outermost first; none if its passage is not there.
 *
 * Several short sections are one passage, and an answer may cite what stands next to its passage, too.
 *
 * @param place offset in the document's text, in code points
 */
export function sectionAt(chunks: readonly ChunkJson[], chunkId: string | undefined, place = 0): readonly string[] {
  const cited = chunks.find((chunk) => chunk.id === chunkId);
  if (!cited) return [];
  const chunk = chunks.find(({ start = 0, end = 0 }) => start <= place && place < end) ?? cited;
  const begun = chunk.laterSections?.filter(({ start = 0 }) => start <= place).at(-1);
  return (begun ?? chunk).heading ?? [];
}

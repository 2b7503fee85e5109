/** The rendered rows of a table. */
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useEffect, type RefCallback, type RefObject } from "react";

/** Height of a row in pixels before it is measured. */
const HEIGHTS = { comfortable: 45, compact: 33 };

/** Height of the header in pixels, which covers the rows under it. */
const HEADER = 37;

/** Rows beyond the edges that are in the page, too. */
const OVERSCAN = 8;

/** Distance of the visible rows from the end at which more are loaded. */
const AHEAD = 20;

interface RowsInput {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  density: keyof typeof HEIGHTS;
  /** The row that has, or last had, the focus: it stays in the page, so that the focus is not lost. */
  active: number;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: (() => void) | undefined;
}

interface RowsView {
  /** The rendered rows, each with the height of the omitted rows before it, in pixels. */
  items: readonly { index: number; gap: number }[];
  /** Measures a row that is in the page. */
  measure: RefCallback<HTMLTableRowElement>;
  /** Pixels of the rows left out after the last. */
  after: number;
  /** Scrolls until a row is in sight. */
  reveal: (index: number) => void;
}

/** Returns the visible rows with overscan, and requests more near the end. */
export function useRows({ scroller, count, density, active, hasMore, isLoadingMore, onMore }: RowsInput): RowsView {
  "use no memo";
  // eslint-disable-next-line react-hooks/incompatible-library -- this hook is not compiled, and the table calls it in each render
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHTS[density],
    overscan: OVERSCAN,
    paddingStart: HEADER,
    scrollPaddingStart: HEADER,
    rangeExtractor: (range) => withActive(range, active),
  });
  const items = virtualizer.getVirtualItems();
  const isNearEnd = (virtualizer.range?.endIndex ?? -1) >= count - AHEAD;
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore) onMore?.();
  }, [isNearEnd, hasMore, isLoadingMore, onMore, count]);
  return {
    items: items.map(({ index, start }, place) => ({ index, gap: start - (items[place - 1]?.end ?? HEADER) })),
    measure: virtualizer.measureElement,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? HEADER),
    reveal: (index) => virtualizer.scrollToIndex(index),
  };
}

/** The rows of a range with the active one, in order. */
function withActive(range: Range, active: number): number[] {
  const indexes = defaultRangeExtractor(range);
  if (active >= range.count || indexes.includes(active)) return indexes;
  return [...indexes, active].sort((a, b) => a - b);
}

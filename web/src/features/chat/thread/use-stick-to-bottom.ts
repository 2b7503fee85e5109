import { useCallback, useEffect, useLayoutEffect, useState } from "react";

/** How near to the bottom still counts as at the bottom, in pixels. */
const NEAR = 80;

/**
 * Keeps a scroller at its bottom while its content grows, unless its reader has scrolled up.
 *
 * @param jumpOn When this changes to something, the scroller goes to the bottom wherever it was.
 */
export function useStickToBottom(jumpOn: unknown) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [isAtBottom, setAtBottom] = useState(true);
  const toBottom = useCallback(() => scroller?.scrollTo({ top: scroller.scrollHeight }), [scroller]);

  useEffect(() => {
    if (!scroller) return undefined;
    const onScroll = () => setAtBottom(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    return () => scroller.removeEventListener("scroll", onScroll);
  }, [scroller]);

  useEffect(() => {
    const content = scroller?.firstElementChild;
    if (!content || !isAtBottom) return undefined;
    const observer = new ResizeObserver(toBottom);
    observer.observe(content);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [scroller, isAtBottom, toBottom]);

  useLayoutEffect(() => {
    if (jumpOn) toBottom();
  }, [jumpOn, toBottom]);

  return { ref: setScroller, isAtBottom, toBottom };
}

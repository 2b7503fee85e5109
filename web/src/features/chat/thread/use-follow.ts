import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Time after a wheel, key, touch or drag event during which a scroll counts as the reader's, in milliseconds. */
const INTENT_MS = 700;
/** Distance from the end that counts as at the end, in pixels. */
const NEAR = 24;
const UP_KEYS = new Set(["ArrowUp", "PageUp", "Home"]);
const DOWN_KEYS = new Set(["ArrowDown", "PageDown", "End", " "]);

/**
 * Follows the end of a scroller's content while it grows: scrolling up stops it, scrolling to the end resumes it.
 * Scroll events caused by changes of the content are ignored.
 *
 * @param question When this changes to a value, its turn is scrolled to the top, with space below for the answer: the custom property `--room` of the content.
 * @param wantsToFollow Whether a growing answer is followed; otherwise the page stays where its question is.
 */
export function useFollow(question: unknown, wantsToFollow: boolean) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const [known, setKnown] = useState(question);
  const frame = useRef(0);
  if (question !== known) {
    setKnown(question);
    if (question) setFollowing(true);
    else if (!wantsToFollow) setFollowing(false);
  }

  const toEnd = useCallback(() => {
    setFollowing(true);
    scroller?.scrollTo({ top: scroller.scrollHeight });
  }, [scroller]);

  useEffect(() => {
    if (!scroller) return undefined;
    let intended = -Infinity;
    let touched = 0;
    const wants = (direction: number) => {
      intended = performance.now();
      // Stop following immediately on an upward scroll, so that new content in the same frame does not scroll back
      // down.
      if (direction < 0) setFollowing(false);
    };
    const onWheel = ({ deltaY }: WheelEvent) => wants(deltaY);
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (target instanceof HTMLElement && target.closest("input, textarea, select, [role=menu]")) return;
      if (UP_KEYS.has(key)) wants(-1);
      else if (DOWN_KEYS.has(key)) wants(1);
    };
    const onFocus = ({ target }: FocusEvent) => {
      // Whoever goes through an answer by keyboard reads there: a change of its size must not scroll that away.
      if (target instanceof HTMLElement && target.matches(":focus-visible")) setFollowing(false);
    };
    const onTouchStart = ({ touches }: TouchEvent) => (touched = touches[0]?.clientY ?? 0);
    const onTouchMove = ({ touches }: TouchEvent) => wants(touched - (touches[0]?.clientY ?? 0));
    const onPointerDown = ({ target }: PointerEvent) => {
      // A target of the scroller itself means that its scrollbar is dragged.
      if (target === scroller) {
        intended = Infinity;
        setFollowing(false);
      }
    };
    const onPointerUp = () => {
      if (intended === Infinity) wants(1);
      onScroll();
    };
    const onScroll = () => {
      const isEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
      setAtEnd(isEnd);
      if (isEnd && performance.now() - intended < INTENT_MS) setFollowing(true);
    };
    const passive = { passive: true };
    scroller.addEventListener("wheel", onWheel, passive);
    scroller.addEventListener("touchstart", onTouchStart, passive);
    scroller.addEventListener("touchmove", onTouchMove, passive);
    scroller.addEventListener("keydown", onKey);
    scroller.addEventListener("focusin", onFocus);
    scroller.addEventListener("pointerdown", onPointerDown);
    window.addEventListener("pointerup", onPointerUp);
    scroller.addEventListener("scroll", onScroll, passive);
    return () => {
      scroller.removeEventListener("wheel", onWheel);
      scroller.removeEventListener("touchstart", onTouchStart);
      scroller.removeEventListener("touchmove", onTouchMove);
      scroller.removeEventListener("keydown", onKey);
      scroller.removeEventListener("focusin", onFocus);
      scroller.removeEventListener("pointerdown", onPointerDown);
      window.removeEventListener("pointerup", onPointerUp);
      scroller.removeEventListener("scroll", onScroll);
    };
  }, [scroller]);

  useEffect(() => {
    const content = scroller?.firstElementChild;
    if (!content) return undefined;
    // One scroll write per frame, however many elements grew.
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        if (isFollowing) scroller.scrollTop = scroller.scrollHeight;
        setAtEnd(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR);
      });
    });
    observer.observe(content);
    observer.observe(scroller);
    return () => {
      cancelAnimationFrame(frame.current);
      observer.disconnect();
    };
  }, [scroller, isFollowing]);

  useLayoutEffect(() => {
    if (!question || !scroller) return;
    const asked = [...scroller.querySelectorAll<HTMLElement>("[data-question]")].at(-1);
    const list = scroller.firstElementChild;
    if (!asked || !(list instanceof HTMLElement)) return;
    const { paddingTop, paddingBottom, rowGap } = getComputedStyle(list);
    const around = [paddingTop, paddingBottom, rowGap].reduce((sum, value) => sum + (parseFloat(value) || 0), 0);
    list.style.setProperty("--room", `${Math.max(0, Math.floor(scroller.clientHeight - asked.offsetHeight - around))}px`);
  }, [question, scroller]);

  return { ref: setScroller, isFollowing, isAtEnd, toEnd };
}

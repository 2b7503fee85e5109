/** Moving between the rows of a table, and selecting them, by keys and by clicks. */
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type MouseEvent, type RefObject } from "react";
import { NOTHING_SELECTED, toggled, withRange, type Selection } from "./selection";

interface RowKeysInput {
  /** The ids of the loaded rows in order. */
  order: readonly string[];
  selection: Selection;
  onSelect: ((selection: Selection) => void) | undefined;
  /** Opens the row at an index. */
  onOpen: ((index: number) => void) | undefined;
  /** Opens it in another tab. */
  onOpenTab: ((index: number) => void) | undefined;
}

/** Returns the focusable row, the selection functions, and the handlers of the table's body. */
export function useRowKeys({ order, selection, onSelect, onOpen, onOpenTab }: RowKeysInput) {
  const [kept, setActive] = useState(0);
  const active = Math.max(0, Math.min(kept, order.length - 1));
  /** The row from which a range is selected. */
  const anchor = useRef<string>(undefined);
  const select = (index: number, isRange: boolean) => {
    const id = order[index];
    if (id === undefined || !onSelect) return;
    onSelect(isRange && anchor.current !== undefined ? withRange(selection, order, anchor.current, id) : toggled(selection, id));
    anchor.current = id;
    setActive(index);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Ignore keys in a control inside a row.
    if (event.target !== event.currentTarget.querySelector(":scope > tr:focus")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = destination(event.key, active, order.length);
    if (target !== undefined) {
      if (event.shiftKey && onSelect) {
        anchor.current ??= order[active];
        const [from, to] = [anchor.current, order[target]];
        if (from !== undefined && to !== undefined) onSelect(withRange(selection, order, from, to));
      }
      setActive(target);
    } else if (event.key.toLowerCase() === "x" && onSelect) select(active, event.shiftKey);
    else if (event.key === "Enter" && onOpen) onOpen(active);
    else if (event.key === "Escape" && onSelect && selection.ids.size > 0) onSelect(NOTHING_SELECTED);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const index = placeOf(event.target);
    if (index !== undefined) setActive(index);
  };
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const target = event.target instanceof Element ? event.target : null;
    const index = placeOf(target);
    if (index === undefined) return;
    // Ignore clicks on controls inside a row, and clicks that end a text selection.
    if (target?.closest("a, button, input, label, select, textarea") || getSelection()?.isCollapsed === false) return;
    if ((event.ctrlKey || event.metaKey) && onOpenTab) onOpenTab(index);
    else onOpen?.(index);
  };
  const onAuxClick = (event: MouseEvent<HTMLElement>) => {
    const target = event.target instanceof Element ? event.target : null;
    const index = placeOf(target);
    // The browser opens links itself.
    if (event.button === 1 && index !== undefined && !target?.closest("a, button, input, label")) onOpenTab?.(index);
  };
  return { active, select, onKeyDown, onFocus, onClick, onAuxClick };
}

/** Moves the focus to the active row when it changes while a row has the focus. */
export function useFocusOnActive(body: RefObject<HTMLElement | null>, active: number, reveal: (index: number) => void): void {
  const scroll = useRef(reveal);
  useEffect(() => {
    scroll.current = reveal;
  });
  useEffect(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLTableRowElement) || focused.parentElement !== body.current) return;
    scroll.current(active);
    body.current?.querySelector<HTMLElement>(`:scope > tr[data-index="${active}"]`)?.focus({ preventScroll: true });
  }, [active, body]);
}

/** The index of the row that contains an element. */
function placeOf(element: Element | null): number | undefined {
  const index = element?.closest("tr")?.dataset["index"];
  return index === undefined ? undefined : Number(index);
}

function destination(key: string, active: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active - 1,
    k: active - 1,
    PageDown: active + 10,
    PageUp: active - 10,
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(0, Math.min(target, count - 1));
}

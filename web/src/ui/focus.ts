/** Moving the focus to what appears without being asked for just now. */

const BUSY = "dialog[open], [role=menu], [aria-haspopup][aria-expanded=true]";
const TYPED_IN = "input, textarea, select, [contenteditable]";

/**
 * Moves the focus to an element, unless a menu or a dialog is open or something is being typed elsewhere: parts of a page
 * appear when their data arrives, and a menu closes when it loses the focus.
 */
export function takeFocus(element: HTMLElement | null): void {
  if (document.querySelector(BUSY) || document.activeElement?.matches(TYPED_IN)) return;
  element?.focus();
}

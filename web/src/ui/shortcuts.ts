/** Keyboard shortcuts: components register them, one listener handles them, and the help sheet lists them. */
import { useLingui } from "@lingui/react/macro";
import { useEffect, useSyncExternalStore } from "react";

const KEY = "echomind.single-keys";
/** Within this time the second key of a pair belongs to the first. */
const PAIR_MS = 1000;

/** Action of a key. */
export interface Shortcut {
  /**
   * The key as `KeyboardEvent.key` names it, after `Ctrl+` (⌘ on a Mac) or `Shift+`; two keys after each other with a space
   * between them: `Ctrl+k`, `?`, `g d`.
   */
  keys: string;
  label: string;
  run: () => void;
}

let shortcuts: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Shortcut[]): void {
  shortcuts = next;
  for (const listener of listeners) listener();
}

/**
 * Registers shortcuts while the component is mounted; the newest have precedence. `own` must be stable between renders.
 */
export function useShortcuts(own: readonly Shortcut[]): void {
  useEffect(() => {
    change([...own, ...shortcuts]);
    return () => change(shortcuts.filter((shortcut) => !own.includes(shortcut)));
  }, [own]);
}

/** The key that shortcuts call `Ctrl`: as it is printed on the reader's keyboard, and as `aria-keyshortcuts` names it. */
export function useCtrl(): { ctrl: string; ariaCtrl: string } {
  const { t } = useLingui();
  return navigator.userAgent.includes("Mac") ? { ctrl: "⌘", ariaCtrl: "Meta" } : { ctrl: t`Ctrl`, ariaCtrl: "Control" };
}

/** All registered shortcuts. */
export function useActiveShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => shortcuts);
}

/** Whether single-key shortcuts are on, with a setter: users of speech input turn them off, see WCAG 2.1.4. */
export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  return [useSyncExternalStore(subscribe, hasSingleKeys), chooseSingleKeys];
}

/** Switches keys without Ctrl on or off, now and for later. */
export function chooseSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "off");
  for (const listener of listeners) listener();
}

/** Serves the shortcuts until the function that it returns is called. */
export function listenToShortcuts(): () => void {
  let first: { key: string; at: number } | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event);
    if (!key || event.defaultPrevented) return;
    const isSingle = !key.startsWith("Ctrl+");
    if (isSingle && (!hasSingleKeys() || isTyping(event.target) || document.querySelector("dialog[open]"))) return;
    const pair = first && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${key}` : undefined;
    const shortcut = shortcuts.find(({ keys }) => keys === pair) ?? shortcuts.find(({ keys }) => keys === key);
    const beginsPair = isSingle && shortcuts.some(({ keys }) => keys.startsWith(`${key} `));
    first = !shortcut && beginsPair ? { key, at: event.timeStamp } : undefined;
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  };
  window.addEventListener("keydown", onKeyDown);
  return () => window.removeEventListener("keydown", onKeyDown);
}

/** The key as shortcuts name it; AltGr, which is Ctrl+Alt, types characters. */
function keyOf({ key, ctrlKey, metaKey, shiftKey, altKey, isComposing }: KeyboardEvent): string | undefined {
  if (altKey || isComposing || ["Control", "Shift", "Meta"].includes(key)) return undefined;
  const isLetter = /^[a-z]$/i.test(key);
  const hasShift = shiftKey && (isLetter || key.length > 1);
  return `${ctrlKey || metaKey ? "Ctrl+" : ""}${hasShift ? "Shift+" : ""}${isLetter ? key.toLowerCase() : key}`;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select, [role=menu] *"));
}

function hasSingleKeys(): boolean {
  return localStorage.getItem(KEY) !== "off";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

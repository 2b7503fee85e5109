/** Light, dark, or the system's theme. `public/theme.js` reads the choice before the first paint. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useSyncExternalStore } from "react";

const KEY = "echomind.theme";
const DARK = "(prefers-color-scheme: dark)";

export type Theme = "light" | "dark" | "system";

/** The themes to choose from. */
export const THEMES: readonly { value: Theme; label: MessageDescriptor }[] = [
  { value: "system", label: msg`System` },
  { value: "light", label: msg`Light` },
  { value: "dark", label: msg`Dark` },
];

const listeners = new Set<() => void>();

/** The theme that was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, storedTheme);
}

function storedTheme(): Theme {
  const theme = localStorage.getItem(KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Whether the page is dark now. */
export function useIsDark(): boolean {
  const theme = useTheme();
  const isSystemDark = useSyncExternalStore(subscribeToSystem, () => matchMedia(DARK).matches);
  return theme === "system" ? isSystemDark : theme === "dark";
}

function subscribeToSystem(listener: () => void): () => void {
  const query = matchMedia(DARK);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Chooses a theme, now and for later. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(KEY, theme);
    document.documentElement.dataset["theme"] = theme;
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

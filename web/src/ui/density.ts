/** Row spacing. `public/theme.js` reads it before the first paint. */
import { useSyncExternalStore } from "react";

const KEY = "echomind.density";

export type Density = "comfortable" | "compact";

const listeners = new Set<() => void>();

/** The density that was chosen. */
export function useDensity(): Density {
  return useSyncExternalStore(subscribe, storedDensity);
}

/** Chooses a density, now and for later. */
export function chooseDensity(density: Density): void {
  if (density === "compact") {
    localStorage.setItem(KEY, density);
    document.documentElement.dataset["density"] = density;
  } else {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset["density"];
  }
  for (const listener of listeners) listener();
}

function storedDensity(): Density {
  return localStorage.getItem(KEY) === "compact" ? "compact" : "comfortable";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

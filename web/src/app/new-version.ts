/**
 * Handles chunks that cannot be loaded, usually because the server has a newer version without them: the page is
 * reloaded once; after that, it shows a message.
 */
import { addressOf } from "@/ui/base-path";

const RELOADED = "echomind.reloaded";
/** This build: the name of its first file has a hash. */
const BUILD = import.meta.url;

const missing = new WeakSet<Error>();

/** Loads the page again when a part of this build is missing, unless that was tried. */
export function reloadOnMissingPart(): void {
  addEventListener("vite:preloadError", ({ payload }) => {
    missing.add(payload);
    const tried = `${addressOf("/")} ${BUILD}`;
    if (sessionStorage.getItem(RELOADED) === tried) return;
    sessionStorage.setItem(RELOADED, tried);
    location.reload();
  });
}

/** Whether an error is that of a chunk which could not be loaded. */
export function isMissingPart(error: Error): boolean {
  return missing.has(error);
}

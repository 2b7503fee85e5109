/**
 * Parts of the pages that could not be loaded: without a connection, or because the server has a newer version without
 * them. Without a connection the page stays as it is, with what runs on it; with one, it is loaded again once if that
 * helps.
 */
import { addressOf } from "./base-path";

const RELOADED = "echomind.reloaded";
/** This build: the name of its first file has a hash. */
const BUILD = import.meta.url;

/** How the bundler names a style sheet that failed. */
const STYLES = /Unable to preload CSS for (\S+)/;

const missing = new WeakSet<Error>();
const missingStyles = new Set<string>();

/** Notes parts that cannot be loaded, and loads the page again when the server has a newer one, unless that was tried. */
export function noteMissingParts(): void {
  addEventListener("vite:preloadError", ({ payload }) => {
    missing.add(payload);
    const styles = STYLES.exec(payload.message)?.[1];
    if (styles) missingStyles.add(styles);
    void reloadIfNewer();
  });
}

/** Whether an error is that of a part which could not be loaded. */
export function isMissingPart(error: Error): boolean {
  return missing.has(error);
}

/** Requests the style sheets again that failed: the bundler requests each of them once. */
export function retryStyles(): void {
  for (const href of missingStyles) document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  missingStyles.clear();
}

/** Logs an error that a boundary has caught, unless it says just that a part could not be loaded. */
export function logUnlessMissing(error: unknown): void {
  if (!(error instanceof Error && isMissingPart(error))) console.error(error);
}

async function reloadIfNewer(): Promise<void> {
  if (await isServerNewer()) reloadOnce();
}

/** Loads the page again, unless that was tried for this build: what failed would fail again. */
export function reloadOnce(): void {
  const tried = `${addressOf("/")} ${BUILD}`;
  if (sessionStorage.getItem(RELOADED) === tried) return;
  sessionStorage.setItem(RELOADED, tried);
  location.reload();
}

/** Whether the server's page names other files than this one; no without an answer. */
async function isServerNewer(): Promise<boolean> {
  try {
    // eslint-disable-next-line no-restricted-globals -- a page, not the API
    const response = await fetch(addressOf("/"), { cache: "no-store" });
    return response.ok && !(await response.text()).includes(BUILD.slice(BUILD.lastIndexOf("/") + 1));
  } catch {
    // Without a connection nothing is known of the server.
    return false;
  }
}

/** Formats a browser's `User-Agent` and address for people. */

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/OPR\/(\d+)/, "Opera"],
  [/Firefox\/(\d+)|FxiOS\/(\d+)/, "Firefox"],
  [/(?:Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/Version\/(\d+)[^ ]* (?:Mobile\/\w+ )?Safari/, "Safari"],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux|X11/, "Linux"],
];

/** The display names of a browser, `Firefox 140`, and its system, `Windows`; undefined if unknown. */
export function describeBrowser(userAgent: string): { browser: string | undefined; system: string | undefined } {
  const browser = BROWSERS.flatMap(([pattern, name]) => {
    const match = pattern.exec(userAgent);
    return match ? [`${name} ${match.slice(1).find(Boolean) ?? ""}`.trim()] : [];
  })[0];
  return { browser, system: SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1] };
}

/** The kind of a network address, determined without a lookup. */
export function placeOf(address: string): "machine" | "local" | "internet" {
  if (/^127\.|^::1$/.test(address)) return "machine";
  if (/^10\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\.|^f[cd]|^fe80:/i.test(address)) return "local";
  return "internet";
}

/** Figures and times as people read them, in the browser's language. */

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A size such as `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** power;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power] ?? ""}`;
}

/** A time span such as `840 ms`, `3.2 s`, `2 min 5 s` or `1 h 30 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return twoUnits(seconds, 60, "min", "s");
  return twoUnits(Math.round(seconds / 60), 60, "h", "min");
}

/** An amount of a small unit, with as much of a large one as fits in: `2 min 5 s`, `2 min`. */
function twoUnits(amount: number, perLarge: number, large: string, small: string): string {
  const rest = amount % perLarge;
  return `${Math.floor(amount / perLarge).toLocaleString()} ${large}${rest ? ` ${rest} ${small}` : ""}`;
}

/** A moment as `14:05` today, as `3 Mar` this year, else as `3 Mar 2024`. */
export function formatMoment(iso: string | undefined, now: Date = new Date()): string {
  if (!iso) return "";
  const date = new Date(iso);
  if (date.toDateString() === now.toDateString()) {
    return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  }
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short", ...year });
}

/** A number and its noun: `1 passage`, `2 passages`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
}

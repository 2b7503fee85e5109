/** Figures and times as people read them, in the language of the pages. */
import { i18n } from "@lingui/core";

const UNITS = ["kilobyte", "megabyte", "gigabyte", "terabyte"];

/** The pages' language with the browser's region, if known. */
function locale(): string {
  return navigator.languages.find((tag) => tag.startsWith(i18n.locale)) ?? i18n.locale;
}

/** Intl formatters are slow to create and fast to use, so they are cached. */
function cached<Options extends object, Formatter>(make: (locale: string, options: Options) => Formatter) {
  const formatters = new Map<string, Formatter>();
  return (options: Options): Formatter => {
    const key = `${locale()} ${JSON.stringify(options)}`;
    const known = formatters.get(key) ?? make(locale(), options);
    formatters.set(key, known);
    return known;
  };
}

const numbers = cached((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const dates = cached((locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
const relativeTimes = cached((locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options));

/** A number such as `12,480`. */
export function formatNumber(value: number): string {
  return numbers({}).format(value);
}

/** A large number in few characters, such as `12K`. */
export function formatCompact(value: number): string {
  return numbers({ notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** A share from 0 to 1 such as `42 %`. */
export function formatPercent(share: number): string {
  return numbers({ style: "percent", maximumFractionDigits: 1 }).format(share);
}

/** Money in US dollars: at least two digits after the point, and for less than a cent the first two that are not zero. */
export function formatCost(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return numbers({ style: "currency", currency: "USD", ...digits }).format(usd);
}

/** A size such as `1.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${formatNumber(Math.round(bytes))} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const value = bytes / 1000 ** power;
  return numbers({ style: "unit", unit: UNITS[power - 1] ?? "kilobyte", unitDisplay: "short", maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** A time span such as `840 ms`, `3.2 s`, `2 min 5 s` or `1 h 30 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${numbers({ maximumFractionDigits: 1 }).format(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return twoUnits(seconds, 60, "min", "s");
  return twoUnits(Math.round(seconds / 60), 60, "h", "min");
}

/** An amount of a small unit, with as much of a large one as fits in: `2 min 5 s`, `2 min`. */
function twoUnits(amount: number, perLarge: number, large: string, small: string): string {
  const rest = amount % perLarge;
  return `${formatNumber(Math.floor(amount / perLarge))} ${large}${rest ? ` ${rest} ${small}` : ""}`;
}

/** A date as `14:05` today, as `3 Mar` this year, otherwise as `3 Mar 2024`. */
export function formatMoment(iso: string | undefined, now: Date = new Date()): string {
  if (!iso) return "";
  const date = new Date(iso);
  if (date.toDateString() === now.toDateString()) return dates({ hour: "2-digit", minute: "2-digit" }).format(date);
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return dates({ day: "numeric", month: "short", ...year }).format(date);
}

/** A day given as `2026-03-01`, such as `1 Mar 2026`. */
export function formatDay(day: string | undefined): string {
  return day ? dates({ dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`)) : "";
}

/** A full timestamp, such as `3 Mar 2024, 14:05:12`, for tooltips and tables of details. */
export function formatTimestamp(iso: string | undefined): string {
  return iso ? dates({ dateStyle: "medium", timeStyle: "medium" }).format(new Date(iso)) : "";
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** Formats a relative time: `5 minutes ago`, `in 2 days`, `now` within a minute. */
export function formatRelative(iso: string | undefined, now: Date = new Date()): string {
  if (!iso) return "";
  const seconds = (new Date(iso).getTime() - now.getTime()) / 1000;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", Infinity];
  return relativeTimes({ numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}

/** A language by its ISO 639-1 code, in the language of the pages. */
export function formatLanguage(code: string): string {
  return new Intl.DisplayNames(i18n.locale, { type: "language" }).of(code) ?? code;
}

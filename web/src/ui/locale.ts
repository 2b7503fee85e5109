/** The language of the pages: the user's choice, or the first supported language of the browser. */
import { i18n, type Messages } from "@lingui/core";
import { useSyncExternalStore } from "react";

const KEY = "echomind.locale";

/** The languages that the pages are in, each by its own name. */
export const LOCALES = { en: "English", de: "Deutsch" } as const;

export type Locale = keyof typeof LOCALES;

/** The texts of each language but English, which the code has itself. */
const catalogs: Readonly<Partial<Record<Locale, () => Promise<{ messages: Messages }>>>> = {
  de: () => import("@/locales/de"),
};

const listeners = new Set<() => void>();

/** Shows the pages in the reader's language; to be awaited before the first of them. */
export async function activateLocale(): Promise<void> {
  const locale = chosenLocale();
  const catalog = await catalogs[locale]?.();
  // Another one was chosen while the texts of this one were on their way.
  if (locale !== chosenLocale()) return;
  i18n.loadAndActivate({ locale, messages: catalog?.messages ?? {} });
  document.documentElement.lang = locale;
}

/** The language that was chosen, undefined for the browser's, and how to choose another one, now and for later. */
export function useLocale(): [Locale | undefined, (locale: Locale | undefined) => void] {
  return [useSyncExternalStore(subscribe, storedLocale), chooseLocale];
}

/** Chooses the language of the pages, undefined for the browser's, now and for later. */
export function chooseLocale(locale: Locale | undefined): void {
  if (locale === storedLocale()) return;
  if (locale) localStorage.setItem(KEY, locale);
  else localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
  void activateLocale();
}

function chosenLocale(): Locale {
  return storedLocale() ?? browserLocale();
}

function storedLocale(): Locale | undefined {
  const locale = localStorage.getItem(KEY);
  return isLocale(locale) ? locale : undefined;
}

function browserLocale(): Locale {
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLocale) ?? "en";
}

function isLocale(value: string | null): value is Locale {
  return value !== null && value in LOCALES;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

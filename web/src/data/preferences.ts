/** Preferences of the user. Stored on the server; those needed for the first paint are copied to the browser. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import type { PreferencesJson } from "@/gen/echomind/public/v1/preferences_pb";
import { chooseDensity } from "@/ui/density";
import { chooseLocale, type Locale } from "@/ui/locale";
import { chooseNotifications } from "@/ui/notifications";
import { chooseSingleKeys } from "@/ui/shortcuts";
import { chooseTheme, type Theme } from "@/ui/theme";
import { currentUserQuery, useCurrentUser, useUpdateCurrentUser } from "./users";

const THEMES = { THEME_UNSPECIFIED: "system", THEME_LIGHT: "light", THEME_DARK: "dark" } as const;
const LOCALES = { LANGUAGE_UNSPECIFIED: undefined, LANGUAGE_EN: "en", LANGUAGE_DE: "de" } as const;

const NOTHING_SET: PreferencesJson = {};

/** The reader's preferences, and how to change some of them: at once here, then on the server. */
export function usePreferences() {
  const client = useQueryClient();
  const { preferences = NOTHING_SET } = useCurrentUser();
  const { mutateAsync } = useUpdateCurrentUser();
  const change = useCallback(
    (changes: PreferencesJson) => {
      // An update replaces all preferences, so apply each change to the latest ones, saved or not.
      const newest = client.getQueryData(currentUserQuery.queryKey)?.preferences;
      const changed: PreferencesJson = { ...newest, ...changes };
      client.setQueryData(currentUserQuery.queryKey, (user) => user && { ...user, preferences: changed });
      apply(changed);
      return mutateAsync({ preferences: changed });
    },
    [client, mutateAsync],
  );
  return { preferences, change };
}

/** The contract's value of a theme. */
export function themeWord(theme: Theme): keyof typeof THEMES {
  return theme === "dark" ? "THEME_DARK" : theme === "light" ? "THEME_LIGHT" : "THEME_UNSPECIFIED";
}

/** The contract's value of a language. */
export function languageWord(locale: Locale | undefined): keyof typeof LOCALES {
  return locale === "de" ? "LANGUAGE_DE" : locale === "en" ? "LANGUAGE_EN" : "LANGUAGE_UNSPECIFIED";
}

/** Applies the reader's appearance settings, set here or in another browser. */
export function useAppearance(): void {
  const { preferences } = useCurrentUser();
  const stored = JSON.stringify(preferences ?? {});
  useEffect(() => apply(JSON.parse(stored) as PreferencesJson), [stored]);
}

function apply({ theme, language, density, singleKeyShortcuts, notifications }: PreferencesJson): void {
  chooseTheme(THEMES[theme ?? "THEME_UNSPECIFIED"]);
  chooseLocale(LOCALES[language ?? "LANGUAGE_UNSPECIFIED"]);
  chooseDensity(density === "DENSITY_COMPACT" ? "compact" : "comfortable");
  chooseSingleKeys(singleKeyShortcuts !== false);
  chooseNotifications(notifications ?? false);
}

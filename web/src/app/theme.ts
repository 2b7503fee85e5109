/** Light, dark, or as the system says. `public/theme.js` reads the choice before the first paint. */
const KEY = "echomind.theme";

export type Theme = "light" | "dark" | "system";

/** The theme that was chosen. */
export function storedTheme(): Theme {
  const theme = localStorage.getItem(KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
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
}

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SOURCE = path.join(import.meta.dirname, "..");
const TOKENS = readFileSync(path.join(SOURCE, "ui/tokens.css"), "utf8");
const SURFACES = ["--paper", "--surface", "--sunken", "--raised", "--accent-soft", "--warn-soft", "--danger-soft"];
const THEMES = ["light", "dark"] as const;

/** The relative luminance of `#rrggbb`, from 0 to 1, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two tokens in a theme, from 1 to 21. */
function contrast(first: string, second: string, theme: (typeof THEMES)[number]): number {
  const [darker = 0, lighter = 0] = [first, second]
    .map((token) => {
      const found = new RegExp(`${token}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`).exec(TOKENS);
      if (!found) throw new Error(`${token} is no colour of tokens.css`);
      return luminance(found[theme === "light" ? 1 : 2] ?? "");
    })
    .sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

test.each(THEMES.flatMap((theme) => SURFACES.map((surface) => [surface, theme] as const)))(
  "on %s, the borders of fields and the text have enough contrast in the %s theme",
  (surface, theme) => {
    // WCAG 1.4.11 for what shows where a field is, and 1.4.3 for text.
    expect(contrast("--line-field", surface, theme)).toBeGreaterThanOrEqual(3);
    for (const ink of ["--ink", "--ink-soft", "--ink-muted"]) expect(contrast(ink, surface, theme)).toBeGreaterThanOrEqual(4.5);
  },
);

test("fields have borders of that colour", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"));
  const rules = files.flatMap((name) =>
    [...readFileSync(path.join(SOURCE, name), "utf8").matchAll(/([^{}]+)\{([^{}]*)\}/g)]
      .filter(([, selector = ""]) => /(^|[\s,>.])(input|textarea|select)\s*(,|$)/.test(selector))
      .flatMap(([, selector = "", body = ""]) => {
        const border = /border: ([^;]+);/.exec(body)?.[1];
        return border && border !== "0" ? [{ rule: `${name} ${selector.trim()}`, border }] : [];
      }),
  );
  expect(rules.length).toBeGreaterThan(5);
  expect(rules.filter(({ border }) => !border.includes("var(--line-field)"))).toEqual([]);
});

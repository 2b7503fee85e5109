import { useLingui } from "@lingui/react/macro";
import { lazy, Suspense, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useShortcuts, type Shortcut } from "@/ui/shortcuts";
import { runNewestAction } from "@/ui/toasts";
import { closePalette, openPalette, useIsPaletteOpen } from "./palette";
import type { Section } from "./sections";

const CommandPalette = lazy(async () => ({ default: (await import("./CommandPalette")).CommandPalette }));
const ShortcutsDialog = lazy(async () => ({ default: (await import("./ShortcutsDialog")).ShortcutsDialog }));

/** The global keyboard shortcuts and the dialogs that they open. */
export function GlobalShortcuts({ sections }: { sections: readonly Section[] }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const isPaletteOpen = useIsPaletteOpen();
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [
      { keys: "Ctrl+k", label: t`Find or do anything`, run: openPalette },
      { keys: "Ctrl+Shift+o", label: t`New chat`, run: () => navigate("/") },
      { keys: "Ctrl+Shift+z", label: t`Undo what was just done`, run: runNewestAction },
      { keys: "?", label: t`Show keyboard shortcuts`, run: () => setShowsShortcuts(true) },
      ...sections
        .flatMap((section) => [section, ...(section.pages ?? [])])
        .flatMap(({ key, label, href }) => (key ? [{ keys: `g ${key}`, label: t`Go to ${t(label)}`, run: () => navigate(href) }] : [])),
    ],
    [navigate, sections, t],
  );
  useShortcuts(shortcuts);
  return (
    <Suspense>
      {isPaletteOpen && (
        <CommandPalette
          sections={sections}
          onShowShortcuts={() => {
            closePalette();
            setShowsShortcuts(true);
          }}
          onClose={closePalette}
        />
      )}
      {showsShortcuts && <ShortcutsDialog onClose={() => setShowsShortcuts(false)} />}
    </Suspense>
  );
}

import { useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { lazyPart } from "@/ui/lazy-part";
import { useShortcuts, type Shortcut } from "@/ui/shortcuts";
import { runNewestAction } from "@/ui/toasts";
import { closePalette, openPalette, useIsPaletteOpen } from "./palette";
import type { Section } from "./sections";

const CommandPalette = lazyPart(async () => (await import("./CommandPalette")).CommandPalette, { whenFailed: "dialog" });
const ShortcutsDialog = lazyPart(async () => (await import("./ShortcutsDialog")).ShortcutsDialog, { whenFailed: "dialog" });

/** The global keyboard shortcuts and the dialogs that they open. */
export function GlobalShortcuts({ sections }: { sections: readonly Section[] }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const isPaletteOpen = useIsPaletteOpen();
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const shortcuts = useMemo<readonly Shortcut[]>(
    () => [
      { keys: "Ctrl+k", label: t`Find or do anything`, run: openPalette },
      { keys: "Ctrl+Shift+o", label: t`New conversation`, run: () => navigate("/") },
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
    <>
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
    </>
  );
}

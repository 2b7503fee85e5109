import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import styles from "./view.module.css";

export const VIEWS = ["original", "text", "chunks"] as const;

/** A way to look at a document. */
export type View = (typeof VIEWS)[number];

/** Their labels. */
export const VIEW_LABELS: Readonly<Record<View, MessageDescriptor>> = { original: msg`Original`, text: msg`Text`, chunks: msg`Passages` };

/** The ways to look at a document. */
export function ViewTabs({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const { t } = useLingui();
  return (
    <div className={styles.tabs} role="group" aria-label={t`View`}>
      {VIEWS.map((one) => (
        <button key={one} type="button" className={styles.tab} aria-pressed={one === view} onClick={() => onChange(one)}>
          {t(VIEW_LABELS[one])}
        </button>
      ))}
    </div>
  );
}

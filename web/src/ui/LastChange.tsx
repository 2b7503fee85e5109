import { useLingui } from "@lingui/react/macro";
import { formatTimestamp } from "./format";
import styles from "./LastChange.module.css";

interface LastChangeProps {
  /** What was changed; names a person only for readers who manage it. */
  item: { lastUpdate?: string; updatedByName?: string };
  /** Whether it stands for itself, below the rest of a page. */
  isSentence?: boolean;
}

/** When something was changed last, and by whom; nothing for what no person has changed. */
export function LastChange({ item: { lastUpdate, updatedByName }, isSentence = false }: LastChangeProps) {
  const { t } = useLingui();
  if (!updatedByName) return null;
  const when = formatTimestamp(lastUpdate);
  return isSentence ? <p className={styles.change}>{t`Changed ${when} by ${updatedByName}`}</p> : <>{t`${when} by ${updatedByName}`}</>;
}

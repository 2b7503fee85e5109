import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button } from "../Button";
import { formatNumber } from "../format";
import { NOTHING_SELECTED, type Selection } from "./selection";
import styles from "./SelectionBar.module.css";

interface SelectionBarProps {
  selection: Selection;
  onSelect: (selection: Selection) => void;
  /** Number of loaded rows, and of all matching rows; undefined if unknown. */
  loaded: number;
  matching: number | undefined;
  /** The matching rows in words, for example `1,234 documents`. */
  matchingLabel: string;
  /** Actions of the selected rows. */
  children: ReactNode;
}

/** Actions on the selected rows of a table. Takes no space if none is selected. */
export function SelectionBar({ selection, onSelect, loaded, matching, matchingLabel, children }: SelectionBarProps) {
  const { t } = useLingui();
  const { ids, allMatching } = selection;
  const count = formatNumber(ids.size);
  const offersAll = !allMatching && ids.size >= loaded && (matching === undefined || matching > loaded);
  return (
    <div className={styles.bar} hidden={ids.size === 0}>
      <p role="status">{ids.size === 0 ? "" : allMatching ? t`All ${matchingLabel} selected` : t`${count} selected`}</p>
      {offersAll && (
        <Button size="sm" variant="ghost" onClick={() => onSelect({ ids, allMatching: true })}>
          <Trans>Select all {matchingLabel} that match</Trans>
        </Button>
      )}
      <div className={styles.actions}>{children}</div>
      <Button size="sm" variant="ghost" onClick={() => onSelect(NOTHING_SELECTED)}>
        <Trans>Clear</Trans>
      </Button>
    </div>
  );
}

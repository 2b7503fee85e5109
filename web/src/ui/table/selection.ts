/** The selected rows of a table. */
import { useState } from "react";

/** The selected rows: by ids, or all that match the table's filter, including those not loaded. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all matching rows are selected; `ids` then has the loaded ones. */
  readonly allMatching: boolean;
}

/** No row. */
export const NOTHING_SELECTED: Selection = { ids: new Set(), allMatching: false };

/** Toggles the selection of a row. A selection of all matching rows becomes the loaded rows. */
export function toggled(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { ids, allMatching: false };
}

/** Selects the rows from one to another, both included, in the order of the table. */
export function withRange(selection: Selection, order: readonly string[], from: string, to: string): Selection {
  const [start, end] = [order.indexOf(from), order.indexOf(to)].sort((a, b) => a - b) as [number, number];
  const range = start < 0 ? [to] : order.slice(start, end + 1);
  return { ids: new Set([...selection.ids, ...range]), allMatching: false };
}

/** Whether all loaded rows are selected, some, or none. */
export function coverage(selection: Selection, order: readonly string[]): "all" | "some" | "none" {
  if (selection.ids.size === 0) return "none";
  return order.every((id) => selection.ids.has(id)) ? "all" : "some";
}

/**
 * Holds a selection, which is cleared when the scope changes.
 *
 * @param scope Identifies the table's content, for example by its filter as a string.
 */
export function useSelection(scope: string): [Selection, (selection: Selection) => void] {
  const [kept, setKept] = useState({ scope, selection: NOTHING_SELECTED });
  const selection = kept.scope === scope ? kept.selection : NOTHING_SELECTED;
  return [selection, (next) => setKept({ scope, selection: next })];
}

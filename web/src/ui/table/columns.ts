/** Columns and options of a table. */
import type { ReactNode } from "react";

/** A column. */
export interface Column<Row> {
  /** Its id; with `isSortable` also the server's sort key. */
  id: string;
  header: string;
  /** Its width in CSS, for example `8rem`; without one, it shares the remaining space. */
  width?: string;
  align?: "start" | "end";
  isSortable?: boolean;
  /** Whether it is hidden on narrow screens. Its content then belongs in the table's `summary`. */
  isWideOnly?: boolean;
  /** Whether its header is for screen readers only. */
  isHeaderHidden?: boolean;
  cell: (row: Row) => ReactNode;
}

/** By which column a table is sorted. */
export interface Sort {
  column: string;
  direction: "asc" | "desc";
}

/** The next sort after a click on a column's header: a new column starts ascending, the same one is reversed. */
export function nextSort(sort: Sort | undefined, column: string): Sort {
  return { column, direction: sort?.column === column && sort.direction === "asc" ? "desc" : "asc" };
}

/** Columns and options of a table. */
import type { ReactNode } from "react";

/** A column. */
export interface Column<Row> {
  /** Identifies it; with `isSortable` what the server sorts by. */
  id: string;
  header: string;
  /** Its width in CSS, for example `8rem`; left out, it shares what is left. */
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

/** The sort after its column's header was pressed: another column begins ascending, the same turns round. */
export function nextSort(sort: Sort | undefined, column: string): Sort {
  return { column, direction: sort?.column === column && sort.direction === "asc" ? "desc" : "asc" };
}

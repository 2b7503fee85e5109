/** What a table shows of its rows. */
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
  /** Whether it is left out where there is little room. What it says then belongs in the table's `summary`. */
  isWideOnly?: boolean;
  /** Whether its header is for screen readers alone. */
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

import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDown, ArrowUp } from "lucide-react";
import { Fragment, useId, useRef, type ReactNode } from "react";
import { addressOf } from "../base-path";
import { classes } from "../classes";
import { useDensity } from "../density";
import { LoadFailure } from "../LoadFailure";
import { Spinner } from "../Spinner";
import { nextSort, type Column, type Sort } from "./columns";
import { coverage, NOTHING_SELECTED, type Selection } from "./selection";
import { SelectBox } from "./SelectBox";
import { useFocusOnActive, useRowKeys } from "./use-row-keys";
import { useRows } from "./use-rows";
import styles from "./DataTable.module.css";

interface DataTableProps<Row> {
  /** Name of the list, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** The rows that are loaded; undefined while the first are on their way. */
  rows: readonly Row[] | undefined;
  idOf: (row: Row) => string;
  /** Name of a row, for its checkbox. */
  nameOf: (row: Row) => string;
  /** Number of all rows, including those not loaded; if omitted, unknown while there are more. */
  total?: number | undefined;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  selection?: Selection;
  onSelect?: (selection: Selection) => void;
  /** Action of Enter on a row, or of a click on it. */
  onOpen?: (row: Row) => void;
  /** The address that a row leads to, for a new tab: by the middle button, or with Ctrl. */
  hrefOf?: (row: Row) => string;
  /** One line with the values of `isWideOnly` columns, shown under the first column on narrow screens. */
  summary?: (row: Row) => ReactNode;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  onMore?: () => void;
  /** Why rows could not be loaded. Loaded rows stay. */
  error?: Error | null;
  onRetry?: () => unknown;
  /** Shown if there are no rows: the reason, and what to do. */
  whenEmpty: ReactNode;
  /** Left out, as the reader has chosen. */
  density?: "comfortable" | "compact";
  /** Whether the rows belong to the previous filter while the new one is being loaded. */
  isStale?: boolean;
}

/**
 * A virtualized table: a `<table>` with only the visible rows. It has its own scroller and requests more rows near its
 * end. Arrow keys, Home and End move between rows, Enter opens, x selects, with Shift a range.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, idOf, nameOf, sort, onSort, onSelect, onOpen, summary, hasMore = false, error } = props;
  const { selection = NOTHING_SELECTED, onMore, isLoadingMore = false, isStale = false } = props;
  const chosenDensity = useDensity();
  const density = props.density ?? chosenDensity;
  const { t } = useLingui();
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const hintId = useId();
  const order = rows?.map(idOf) ?? [];
  const open = (index: number) => {
    const row = rows?.[index];
    if (row !== undefined) onOpen?.(row);
  };
  const openTab = (index: number) => {
    const row = rows?.[index];
    if (row !== undefined && props.hrefOf) window.open(addressOf(props.hrefOf(row)), "_blank", "noopener");
  };
  const keys = useRowKeys({ order, selection, onSelect, onOpen: onOpen && open, onOpenTab: props.hrefOf && openTab });
  const view = useRows({ scroller, count: order.length, density, active: keys.active, hasMore: hasMore && !error, isLoadingMore, onMore });
  useFocusOnActive(body, keys.active, view.reveal);
  const width = columns.length + (onSelect ? 1 : 0);
  const rowCount = hasMore ? (props.total ?? -1) : order.length + 1;
  const isEmpty = rows?.length === 0 && !hasMore;
  if (!rows && error) return <LoadFailure error={error} onRetry={() => props.onRetry?.()} />;
  return (
    <div ref={scroller} className={classes(styles.scroller, styles[density])}>
      <table className={styles.table} aria-label={label} aria-rowcount={rowCount} aria-busy={!rows || isStale} aria-describedby={hintId}>
        <colgroup>
          {onSelect && <col className={styles.selectColumn} />}
          {columns.map((column) => (
            <col key={column.id} className={classes(column.isWideOnly && styles.wide)} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {onSelect && (
              <th scope="col" className={styles.select}>
                <SelectBox
                  label={t`Select all that are shown`}
                  state={selection.allMatching ? "all" : coverage(selection, order)}
                  onToggle={() => onSelect(coverage(selection, order) === "all" ? NOTHING_SELECTED : { ids: new Set(order), allMatching: false })}
                />
              </th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the rows have the focus; one listener serves them */}
        <tbody ref={body} className={classes(isStale && styles.stale)} onKeyDown={keys.onKeyDown} onFocus={keys.onFocus} onClick={keys.onClick} onAuxClick={keys.onAuxClick}>
          {view.items.map(({ index, gap }) => {
            const row = rows?.[index];
            const id = order[index];
            if (row === undefined || id === undefined) return null;
            const isSelected = selection.ids.has(id) || selection.allMatching;
            return (
              <Fragment key={id}>
                <Spacer height={gap} width={width} />
                <tr
                  ref={view.measure}
                  data-index={index}
                  aria-rowindex={index + 2}
                  tabIndex={index === keys.active ? 0 : -1}
                  className={classes(styles.row, isSelected && styles.selected, onOpen && styles.opens)}
                >
                  {onSelect && (
                    <td className={styles.select}>
                      <SelectBox label={t`Select ${nameOf(row)}`} state={isSelected ? "all" : "none"} onToggle={(isRange) => keys.select(index, isRange)} />
                    </td>
                  )}
                  {columns.map((column, place) => (
                    <td key={column.id} className={classes(cellClass(column), place === 0 && styles.main, column.isHeaderHidden && styles.actions)}>
                      {column.cell(row)}
                      {place === 0 && summary && <div className={styles.summary}>{summary(row)}</div>}
                    </td>
                  ))}
                </tr>
              </Fragment>
            );
          })}
          <Spacer height={view.after} width={width} />
        </tbody>
      </table>
      <p id={hintId} className="visually-hidden">
        <Trans>Arrow keys move between rows.</Trans> {onOpen && <Trans>Enter opens a row.</Trans>}{" "}
        {onSelect && <Trans>x selects a row, Shift with x a range.</Trans>}
      </p>
      {!rows && <Placeholders label={label} />}
      {isEmpty && <div className={styles.empty}>{props.whenEmpty}</div>}
      {rows && error && <LoadFailure error={error} onRetry={() => props.onRetry?.()} />}
      {isLoadingMore && (
        <p className={styles.more} role="status">
          <Spinner /> <Trans>Loading more</Trans>
        </p>
      )}
    </div>
  );
}

function HeaderCell<Row>({ column, sort, onSort }: { column: Column<Row>; sort: Sort | undefined; onSort: ((sort: Sort) => void) | undefined }) {
  const direction = sort?.column === column.id ? sort.direction : undefined;
  const Arrow = direction === "desc" ? ArrowDown : ArrowUp;
  const ariaSort = direction && (direction === "asc" ? "ascending" : "descending");
  if (!column.isSortable || !onSort) {
    return (
      <th scope="col" className={cellClass(column)}>
        {column.isHeaderHidden ? <span className="visually-hidden">{column.header}</span> : column.header}
      </th>
    );
  }
  return (
    <th scope="col" className={cellClass(column)} aria-sort={ariaSort ?? "none"}>
      <button type="button" className={styles.sort} onClick={() => onSort(nextSort(sort, column.id))}>
        {column.header}
        <Arrow size={13} aria-hidden className={classes(styles.arrow, !direction && styles.unsorted)} />
      </button>
    </th>
  );
}

/** Takes the space of the rows that are not rendered. */
function Spacer({ height, width }: { height: number; width: number }) {
  if (height === 0) return null;
  return (
    <tr aria-hidden className={styles.spacer}>
      <td colSpan={width} style={{ height }} />
    </tr>
  );
}

/** Placeholder rows while the first ones are loading. */
function Placeholders({ label }: { label: string }) {
  const { t } = useLingui();
  return (
    <div className={styles.placeholders} role="status" aria-label={t`Loading: ${label}`}>
      {Array.from({ length: 6 }, (_, index) => (
        <span key={index} className={styles.placeholder} />
      ))}
    </div>
  );
}

function cellClass<Row>(column: Column<Row>): string {
  return classes(column.align === "end" && styles.end, column.isWideOnly && styles.wide);
}

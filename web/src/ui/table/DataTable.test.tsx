import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { render as renderBare, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState, type ReactElement, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Column } from "./columns";
import { DataTable } from "./DataTable";
import { NOTHING_SELECTED } from "./selection";

interface Thing {
  id: string;
  name: string;
}

const COLUMNS: readonly Column<Thing>[] = [
  { id: "name", header: "Name", isSortable: true, cell: ({ name }) => name },
  { id: "link", header: "Link", cell: ({ id }) => <a href={`#${id}`}>Open {id}</a> },
];

// As a wrapper, so that it also applies to rerender().
const InEnglish = ({ children }: { children: ReactNode }) => <I18nProvider i18n={i18n}>{children}</I18nProvider>;
const render = (element: ReactElement) => renderBare(element, { wrapper: InEnglish });

const things = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `t${index}`, name: `Thing ${index}` }));

/** A table with the state that its page would keep. */
function Table({ count, onOpen, onSelected }: { count: number; onOpen?: (thing: Thing) => void; onSelected?: (ids: string[]) => void }) {
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  return (
    <DataTable
      label="Things"
      columns={COLUMNS}
      rows={things(count)}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      selection={selection}
      onSelect={(next) => {
        setSelection(next);
        onSelected?.([...next.ids]);
      }}
      {...(onOpen && { onOpen })}
      whenEmpty="Nothing here."
    />
  );
}

// jsdom has no layout: simulate a viewport of 600 pixels.
beforeEach(() => {
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(45);
});

it("has only the rows in sight, and says how many there are", () => {
  render(<Table count={10_000} />);
  const table = screen.getByRole("table", { name: "Things" });
  expect(table.getAttribute("aria-rowcount")).toBe("10001");
  const rows = within(table).getAllByRole("row");
  expect(rows.length).toBeLessThan(60);
  expect(rows[1]?.getAttribute("aria-rowindex")).toBe("2");
});

it("moves by keys, opens with Enter and leaves what is in a row alone", async () => {
  const user = userEvent.setup();
  const onOpen = vi.fn();
  render(<Table count={30} onOpen={onOpen} />);
  const rows = screen.getAllByRole("row");
  rows[1]?.focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}{Enter}");
  expect(document.activeElement).toBe(rows[2]);
  expect(onOpen).toHaveBeenCalledExactlyOnceWith({ id: "t1", name: "Thing 1" });
  screen.getByRole("link", { name: "Open t1" }).focus();
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement?.textContent).toBe("Open t1");
});

it("selects with x, a range with Shift, and nothing after Escape", async () => {
  const user = userEvent.setup();
  const onSelected = vi.fn();
  render(<Table count={30} onSelected={onSelected} />);
  screen.getAllByRole("row")[1]?.focus();
  await user.keyboard("x");
  expect(onSelected).toHaveBeenLastCalledWith(["t0"]);
  await user.keyboard("{ArrowDown}{ArrowDown}{Shift>}X{/Shift}");
  expect(onSelected).toHaveBeenLastCalledWith(["t0", "t1", "t2"]);
  await user.keyboard("{Escape}");
  expect(onSelected).toHaveBeenLastCalledWith([]);
});

it("extends the selection with Shift and an arrow, and by a click with Shift", async () => {
  const user = userEvent.setup();
  const onSelected = vi.fn();
  render(<Table count={30} onSelected={onSelected} />);
  screen.getAllByRole("row")[2]?.focus();
  await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
  expect(onSelected).toHaveBeenLastCalledWith(["t1", "t2"]);
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Select Thing 4" }));
  await user.keyboard("{/Shift}");
  expect(onSelected.mock.lastCall?.[0]).toContain("t4");
});

it("asks for the other order of the column that it is sorted by, and for the first of another", async () => {
  const user = userEvent.setup();
  const onSort = vi.fn();
  const table = { label: "Things", columns: COLUMNS, rows: things(3), idOf: (row: Thing) => row.id, nameOf: (row: Thing) => row.name };
  render(<DataTable {...table} sort={{ column: "name", direction: "asc" }} onSort={onSort} whenEmpty="" />);
  expect(screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe("ascending");
  await user.click(screen.getByRole("button", { name: "Name" }));
  expect(onSort).toHaveBeenCalledWith({ column: "name", direction: "desc" });
});

it("asks for more when the end is near, and not again while they are on their way", () => {
  const onMore = vi.fn();
  const table = { label: "Things", columns: COLUMNS, rows: things(30), idOf: (row: Thing) => row.id, nameOf: (row: Thing) => row.name };
  const { rerender } = render(<DataTable {...table} hasMore onMore={onMore} whenEmpty="" />);
  expect(onMore).toHaveBeenCalledOnce();
  expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("-1");
  rerender(<DataTable {...table} hasMore isLoadingMore onMore={onMore} whenEmpty="" />);
  expect(onMore).toHaveBeenCalledOnce();
});

it("says that it loads, that it failed, and that there is nothing", () => {
  const table = { label: "Things", columns: COLUMNS, idOf: (row: Thing) => row.id, nameOf: (row: Thing) => row.name, whenEmpty: "Nothing here." };
  const { rerender } = render(<DataTable {...table} rows={undefined} />);
  expect(screen.getByRole("status", { name: "Loading: Things" })).toBeTruthy();
  rerender(<DataTable {...table} rows={undefined} error={new Error("The server did not answer.")} />);
  expect(screen.getByRole("alert").textContent).toContain("The server did not answer.");
  rerender(<DataTable {...table} rows={[]} />);
  expect(screen.getByText("Nothing here.")).toBeTruthy();
});

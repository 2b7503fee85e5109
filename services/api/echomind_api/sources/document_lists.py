"""Lists and counts of documents for a reader: first the readable connectors, then the documents in them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Integer,
    Select,
    String,
    Table,
    TableSample,
    TableValuedAlias,
    and_,
    column,
    func,
    literal,
    or_,
    select,
    table,
    true,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal
from echomind_lib.access import connectors as rule_of
from echomind_lib.access.documents import documents as access_documents
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.paging import Page, read_page
from echomind_lib.documents.filters import Filter, in_place, of_connectors
from echomind_lib.documents.kinds import kind, kind_of
from echomind_lib.models.public import DocumentFilter, DocumentSort, ListDocumentsRequest, Scope

EXACT: Final = 200_000
"""Up to how many documents are counted one by one, by an index that has all that is counted by."""
_SAMPLE: Final = 20_000
"""Rows of the sample that larger numbers are estimated from."""
_LEAST_SAMPLE: Final = 500
"""With fewer matching rows in the sample, an estimate would be unreliable, and counting is cheap."""
_WORTH_SAMPLING: Final = 50
"""Percent of the table above which all rows are read as fast as a part of them."""
_TABLES: Final = table("pg_class", column("oid"), column("reltuples"))
FOLDERS: Final = 1000
"""Folders of one answer."""


@dataclass(frozen=True, slots=True)
class _Order:
    """An order of documents: by a key, then by id."""

    key_type: Any
    columns: tuple[Any, ...]
    key: Callable[[Document], tuple[object, ...]]


_TITLE: Final = func.lower(Document.title)
_SIZE: Final = func.coalesce(Document.size_bytes, 0)
_ORDERS: Final = {
    DocumentSort.UNSPECIFIED: _Order(tuple[int], (Document.id,), lambda row: (row.id,)),
    DocumentSort.ADDED: _Order(tuple[int], (Document.id,), lambda row: (row.id,)),
    DocumentSort.TITLE: _Order(tuple[str, int], (_TITLE, Document.id), lambda row: (row.title, row.id)),
    DocumentSort.SIZE: _Order(tuple[int, int], (_SIZE, Document.id), lambda row: (row.size_bytes or 0, row.id)),
}


def stored(given: DocumentFilter | None, status: str = "") -> Filter:
    """Returns a filter of the contract in the words of the database."""
    if given is None:
        return Filter(statuses=(status,) if status else ())
    return Filter(
        query=given.query,
        statuses=(*(each.word for each in given.statuses), *((status,) if status else ())),
        kinds=tuple(each.word for each in given.kinds),
        connector_ids=tuple(given.connector_ids),
        folder=given.folder,
        scope="" if given.scope is Scope.UNSPECIFIED else given.scope.word,
        group=given.group,
        parent_id=given.parent_id,
    )


async def readable_connectors(
    session: AsyncSession, principal: Principal, given: Filter, extra: Sequence[ColumnElement[bool]] = ()
) -> dict[int, Connector]:
    """Returns the connectors that a reader may read and that a filter means, by id."""
    rule = rule_of("read")
    found = await session.scalars(
        select(Connector)
        .where(Connector.deleted_date.is_(None), rule.where(Connector), *of_connectors(given), *extra)
        .params(rule.values(principal))
    )
    return {row.id: row for row in found}


async def list_page(
    session: AsyncSession,
    principal: Principal,
    request: ListDocumentsRequest,
    connectors: Collection[Connector],
    given: Filter,
) -> tuple[list[Document], str]:
    """Returns a page of the documents in connectors, and the token of the next page.

    Raises:
        InvalidPageTokenError: The token is damaged or belongs to another list.
    """
    order = _ORDERS[request.sort]
    descending = request.descending or request.sort is DocumentSort.UNSPECIFIED
    identity = (principal.user_id, request.connector_id, repr(given), request.sort.number, descending)
    page: Page[Any] = read_page(request.page_size, request.page_token, order.key_type, "documents", *identity)
    query = page_of_list(readable_in(principal, connectors), given, request.sort, page, descending=descending)
    rows = (await session.scalars(query)).all()
    return page.cut(rows, order.key)


def page_of_list(
    readable: "Readable", given: Filter, sort: DocumentSort, page: Page[Any], *, descending: bool
) -> Select[Document]:
    """Returns the statement of a page of documents."""
    order = _ORDERS[sort]
    if order.columns == (Document.id,) and given.statuses and not given.query:
        after = page.after[0] if page.after else None
        return page_by_status(readable, given, after, page.limit, descending=descending)
    query = page_of(readable, given, order.columns, descending=descending).limit(page.limit)
    if page.after:
        key, position = tuple_(*order.columns), tuple_(*_after(sort, page.after))
        query = query.where(key < position if descending else key > position)
    return query


def _after(sort: DocumentSort, key: tuple[Any, ...]) -> list[Any]:
    if sort is DocumentSort.TITLE:
        return [func.lower(key[0]), key[1]]
    return list(key)


@dataclass(frozen=True, slots=True)
class Readable:
    """The documents of connectors that a reader may read."""

    principal: Principal
    by_scope: Sequence[int]
    """Connectors without the permission mode `source`."""
    by_source: Sequence[int]
    """Connectors whose sources decide, too."""

    def add_to(self, query: Any, row: type[Document] = Document) -> Any:
        """Returns a statement on documents with their condition, and with the values of its parameters."""
        in_scope = row.connector_id.in_(self.by_scope)
        if not self.by_source:
            return query.where(in_scope)
        rule = access_documents()
        of_reader = and_(row.connector_id.in_(self.by_source), rule.of_reader(row))
        return query.where(or_(in_scope, of_reader)).params(rule.values(self.principal))

    def narrow(self, query: Any, row: type[Document]) -> Any:
        """Returns as `add_to` a statement that is on documents of these connectors already."""
        if not self.by_source:
            return query
        rule = access_documents()
        allowed = or_(row.connector_id.in_(self.by_scope), rule.of_reader(row))
        return query.where(allowed).params(rule.values(self.principal))


def readable_in(principal: Principal, connectors: Collection[Connector]) -> Readable:
    """Returns the documents of connectors that a reader may read; which connectors they may, is known."""
    by_source = [each.id for each in connectors if each.permission_mode == "source"]
    return Readable(principal, [each.id for each in connectors if each.permission_mode != "source"], by_source)


def page_of(readable: Readable, given: Filter, columns: Sequence[Any], *, descending: bool) -> Select[Document]:
    """Returns the statement of documents in an order."""
    found: Select[Document] = _in(select(Document), readable, given)
    return found.order_by(*(each.desc() if descending else each.asc() for each in columns))


def page_by_status(
    readable: Readable, given: Filter, after: int | None, limit: int, *, descending: bool
) -> Select[Document]:
    """Returns the statement of a page of documents with one of several statuses, by id.

    It reads the first rows of each connector and status from their index, and the page from those. With one condition
    for all, the planner would scan the whole table by id, because it assumes that rare statuses are spread over it.
    """
    connector = _each([*readable.by_scope, *readable.by_source], Integer, "connector")
    status = _each(sorted(set(given.statuses)), String, "status")
    row = aliased(Document, name="first")
    rest = msgspec.structs.replace(given, statuses=())
    # Repeating the condition on connectors would make the planner underestimate the rows and choose another index.
    first = readable.narrow(_matching(select(row.id), rest, row), row).where(
        row.connector_id == connector.c.value, row.status == status.c.value
    )
    if after is not None:
        first = first.where(row.id < after if descending else row.id > after)
    first = first.order_by(row.id.desc() if descending else row.id).limit(limit).correlate(connector, status)
    places = connector.join(status, true()).join(newest := first.lateral(), true())
    query: Select[Document] = select(Document).select_from(places).join(Document, Document.id == newest.c.id)
    return query.order_by(Document.id.desc() if descending else Document.id).limit(limit)


def _each(values: Sequence[Any], kind_of_value: Any, name: str) -> TableValuedAlias:
    """Returns values as a table with the column `value`."""
    given = literal(values, ARRAY(kind_of_value))
    return func.unnest(given).table_valued(column("value", kind_of_value)).render_derived(name=name)


def _in(query: Any, readable: Readable, given: Filter, row: type[Document] = Document) -> Any:
    """Returns a statement on documents with the conditions of connectors and of a filter."""
    return _matching(readable.add_to(query, row), given, row)


def _matching(query: Any, given: Filter, row: type[Document]) -> Any:
    """Returns a statement on documents with the conditions of a filter."""
    query = query.where(row.deleted_date.is_(None), *in_place(given, row))
    if given.statuses:
        query = query.where(row.status.in_(given.statuses))
    return query.where(kind(row).in_(given.kinds)) if given.kinds else query


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of documents by a property, and whether they are estimates."""

    by: Counter[tuple[int, str, str]]
    """By connector, status and kind."""
    is_estimate: bool

    def of(self, position: int, given: Filter) -> Counter[str]:
        """Returns the counts by one property, ignoring the filter on that property.

        Args:
            position: 0 for connectors, 1 for statuses, 2 for kinds.
            given: The filter.
        """
        found: Counter[str] = Counter()
        for key, number in self._matching(given, disregarded=position):
            found[str(key[position])] += number
        return found

    def total(self, given: Filter) -> int:
        """Returns how many documents match a filter."""
        return sum(number for _, number in self._matching(given))

    def _matching(self, given: Filter, disregarded: int | None = None) -> Iterator[tuple[tuple[int, str, str], int]]:
        allowed = (given.connector_ids, given.statuses, given.kinds)
        for key, number in self.by.items():
            regarded = (each for each in range(3) if each != disregarded)
            if all(not allowed[each] or key[each] in allowed[each] for each in regarded):
                yield key, number


async def count_total(
    session: AsyncSession, principal: Principal, connectors: Collection[Connector], given: Filter
) -> int | None:
    """Returns how many documents match; None when they are more than are counted one by one."""
    readable = readable_in(principal, connectors)
    found = _in(select(literal(1)).select_from(Document), readable, given).limit(EXACT + 1).subquery()
    total = (await session.scalar(select(func.count()).select_from(found))) or 0
    return total if total <= EXACT else None


async def count_properties(
    session: AsyncSession, principal: Principal, connectors: Collection[Connector], given: Filter
) -> Counts:
    """Returns the numbers of documents whose names match, by connector, status and kind."""
    readable = readable_in(principal, connectors)
    names = Filter(query=given.query, folder=given.folder)
    by = await _grouped(session, counted_exactly(readable, names))
    if by.total() <= EXACT:
        return Counts(by, is_estimate=False)
    percent = await _sample_percent(session)
    if percent < _WORTH_SAMPLING:
        sampled = await _grouped(session, _by_properties(readable, names, aliased(Document, _sample(percent))))
        if sampled.total() >= _LEAST_SAMPLE:
            scaled = {key: round(number * 100 / percent) for key, number in sampled.items()}
            return Counts(Counter(scaled), is_estimate=True)
    return Counts(await _grouped(session, _by_properties(readable, names, Document)), is_estimate=False)


def counted_exactly(readable: Readable, given: Filter) -> Any:
    """Returns the statement that counts documents by connector, status and type, one more than `EXACT` at most."""
    few = _in(select(*_properties(Document)), readable, given).limit(EXACT + 1).subquery()
    return select(*few.c, func.count()).group_by(*few.c)


def _properties(row: type[Document]) -> tuple[Any, ...]:
    return (row.connector_id, row.status, row.content_type)


def _by_properties(readable: Readable, given: Filter, row: type[Document]) -> Any:
    columns = _properties(row)
    return _in(select(*columns, func.count()), readable, given, row).group_by(*columns)


def _sample(percent: float) -> TableSample:
    return cast("Table", Document.__table__).tablesample(func.system(percent))


async def _grouped(session: AsyncSession, query: Any) -> Counter[tuple[int, str, str]]:
    found: Counter[tuple[int, str, str]] = Counter()
    for connector, status, content_type, number in await session.execute(query):
        found[connector, status, kind_of(content_type)] += number
    return found


async def _sample_percent(session: AsyncSession) -> float:
    """Returns which part of the table has about as many rows as a sample."""
    name = cast("Table", Document.__table__).name
    rows = await session.scalar(select(_TABLES.c.reltuples).where(_TABLES.c.oid == func.to_regclass(name)))
    return min(100.0, 100 * _SAMPLE / max(rows or 0, 1))


def folders_of(principal: Principal, connector: Connector, parent: str) -> Select[str, int]:
    """Returns the statement of the folders in a folder of a connector, with their numbers of readable documents."""
    prefix = f"{parent.rstrip('/')}/" if parent else ""
    rest = func.substr(Document.source_id, len(prefix) + 1)
    name = func.split_part(rest, "/", 1).label("name")
    query: Select[str, int] = (
        readable_in(principal, [connector])
        .add_to(select(name, func.count()))
        .where(Document.deleted_date.is_(None))
        .where(func.strpos(rest, "/") > 1)
        .group_by(name)
        .order_by(func.lower(name), name)
        .limit(FOLDERS)
    )
    return query.where(func.starts_with(Document.source_id, prefix)) if prefix else query


def most_first(counts: Counter[str], limit: int | None = None) -> list[tuple[str, int]]:
    """Returns numbers by their size, the same ones by name."""
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:limit]

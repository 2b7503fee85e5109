"""The found addresses of a crawl, stored in PostgreSQL."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

import asyncpg
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    Text,
    any_,
    bindparam,
    column,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from typing_extensions import override

from echomind_ingestor.connectors.frontier import Address, Frontier, Visit
from echomind_lib.db.models import CrawlAddress
from echomind_lib.db.statements import Command, Query

_connector = bindparam("connector_id", type_=Integer)
_is_own = CrawlAddress.connector_id == _connector
_columns = (
    CrawlAddress.id,
    CrawlAddress.url,
    CrawlAddress.depth,
    CrawlAddress.status,
    CrawlAddress.etag,
    CrawlAddress.last_modified,
    CrawlAddress.version,
    CrawlAddress.rules,
)

AFTER: Final = Query(
    select(*_columns)
    .where(_is_own, CrawlAddress.id > bindparam("position", type_=BigInteger))
    .order_by(CrawlAddress.id)
    .limit(bindparam("limit", type_=Integer)),
    Address,
)
FIND: Final = Query(select(*_columns).where(_is_own, CrawlAddress.url == bindparam("url", type_=Text)), Address)
COUNT: Final = Query(select(func.count()).select_from(CrawlAddress).where(_is_own), int)
KNOWN: Final = Query(
    select(CrawlAddress.url).where(_is_own, CrawlAddress.url == any_(bindparam("urls", type_=ARRAY(Text)))), str
)
"""Selects the known ones among some addresses."""
_path = column("path", Text(collation="C"))
_paths = (
    func.unnest(bindparam("paths", type_=ARRAY(Text)))
    .table_valued(_path, with_ordinality="position")
    .render_derived(name="given")
)
_variants = (
    select(func.count())
    .select_from(CrawlAddress)
    # `@` is the character after `?` in ASCII.
    .where(_is_own, CrawlAddress.url >= _paths.c.path.concat("?"), CrawlAddress.url < _paths.c.path.concat("@"))
    .correlate(_paths)
    .scalar_subquery()
)
VARIANTS: Final = Query(select(_variants.label("count")).select_from(_paths).order_by(_paths.c.position), int)
"""Counts, for each path, the addresses that differ from it only after the `?`."""
_found = (
    func.unnest(bindparam("urls", type_=ARRAY(Text)), bindparam("depths", type_=ARRAY(Integer)))
    .table_valued(column("url", Text), column("depth", Integer), with_ordinality="position")
    .render_derived(name="found")
)
_addition = insert(CrawlAddress).from_select(
    ["connector_id", "url", "depth"],
    select(_connector, _found.c.url, _found.c.depth).order_by(_found.c.position),
)
ADD: Final = Command(
    _addition.on_conflict_do_update(
        index_elements=[CrawlAddress.connector_id, CrawlAddress.url],
        set_={"depth": _addition.excluded.depth},
        where=CrawlAddress.depth > _addition.excluded.depth,
    )
)
"""Appends new addresses; lowers the depth of known ones, which keep their position."""
_visit = (
    func.unnest(
        bindparam("urls", type_=ARRAY(Text)),
        bindparam("statuses", type_=ARRAY(Integer)),
        bindparam("etags", type_=ARRAY(Text)),
        bindparam("dates", type_=ARRAY(Text)),
        bindparam("versions", type_=ARRAY(Text)),
        bindparam("rules", type_=ARRAY(Text)),
    )
    .table_valued(
        column("url", Text),
        column("status", Integer),
        column("etag", Text),
        column("last_modified", Text),
        column("version", Text),
        column("rules", Text),
    )
    .render_derived(name="visit")
)
RECORD: Final = Command(
    update(CrawlAddress)
    .where(_is_own, CrawlAddress.url == _visit.c.url)
    .values({name: _visit.c[name] for name in ("status", "etag", "last_modified", "version", "rules")})
)
FORGET: Final = Command(
    delete(CrawlAddress).where(_is_own, or_(CrawlAddress.status == 404, CrawlAddress.status == 410))
)


class StoredFrontier(Frontier):
    """The frontier of one connector."""

    def __init__(self, pool: asyncpg.Pool, connector_id: int) -> None:
        self._pool = pool
        self._connector_id = connector_id

    @override
    async def add(self, urls: Mapping[str, int], *, max_urls: int, max_queries: int) -> bool:
        found, own = {url: depth for url, depth in urls.items() if "\0" not in url}, self._connector_id
        known = set(await KNOWN.fetch_all(self._pool, connector_id=own, urls=list(found)))
        new = await self._few_variants([url for url in found if url not in known], max_queries)
        room = max(0, max_urls - (await COUNT.fetch_one(self._pool, connector_id=own) or 0))
        added = [*known, *new[:room]]
        if added:
            depths = [found[url] for url in added]
            await ADD.execute(self._pool, connector_id=own, urls=added, depths=depths)
        return len(new) <= room

    async def _few_variants(self, urls: Sequence[str], max_urls: int) -> list[str]:
        """Returns the addresses of which there are not too many variants that differ only after the `?`."""
        by_path = defaultdict[str, list[str]](list)
        for url in urls:
            if "?" in url:
                by_path[url.partition("?")[0]].append(url)
        if not by_path:
            return list(urls)
        counts = await VARIANTS.fetch_all(self._pool, connector_id=self._connector_id, paths=list(by_path))
        too_many = {
            url
            for count, variants in zip(counts, by_path.values(), strict=True)
            for url in variants[max(0, max_urls - count) :]
        }
        return [url for url in urls if url not in too_many]

    @override
    async def after(self, position: int, limit: int) -> Sequence[Address]:
        return await AFTER.fetch_all(self._pool, connector_id=self._connector_id, position=position, limit=limit)

    @override
    async def find(self, url: str) -> Address | None:
        return await FIND.fetch_one(self._pool, connector_id=self._connector_id, url=url)

    @override
    async def record(self, visits: Sequence[Visit]) -> None:
        if not visits:
            return
        rows = [asdict(visit) for visit in visits]
        await RECORD.execute(
            self._pool,
            connector_id=self._connector_id,
            urls=[row["url"] for row in rows],
            statuses=[row["status"] for row in rows],
            etags=[row["etag"] for row in rows],
            dates=[row["last_modified"] for row in rows],
            versions=[row["version"] for row in rows],
            rules=[row["rules"] for row in rows],
        )

    @override
    async def forget_removed(self) -> None:
        await FORGET.execute(self._pool, connector_id=self._connector_id)

"""Groups of a source and their members: read before its documents, so that former members get no access to new ones."""

from collections.abc import Iterable, Sequence
from typing import Final

import asyncpg
from sqlalchemy import ARRAY, Integer, Text, and_, any_, bindparam, column, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from echomind_ingestor.connectors.protocol import GroupPage
from echomind_ingestor.sync.permissions import apply_people
from echomind_lib.db.models import DocumentReader, SourceMember, SourcePrincipal
from echomind_lib.db.statements import Command, Query
from echomind_lib.text import NAME_CHARACTERS, single_line

_connector_id = bindparam("connector_id", type_=Integer)
_keys = bindparam("keys", type_=ARRAY(Text))


def _named_groups(*conditions: object) -> Query[str]:
    return Query(
        select(SourcePrincipal.key)
        .where(
            SourcePrincipal.connector_id == _connector_id,
            or_(SourcePrincipal.key.startswith("group:"), SourcePrincipal.key.startswith("tenant:")),
            exists().where(DocumentReader.principal_id == SourcePrincipal.id),
            *conditions,  # type: ignore[arg-type]
        )
        .order_by(SourcePrincipal.key),
        str,
    )


_NAMED: Final = _named_groups()
_UNREAD: Final = _named_groups(SourcePrincipal.members_read_at.is_(None))


async def named_groups(pool: asyncpg.Pool, connector_id: int, *, unread: bool = False) -> list[str]:
    """Returns the keys of the groups and tenants that may read documents of a connector.

    Args:
        pool: The database.
        connector_id: The connector.
        unread: Whether to return only those whose members were never read.
    """
    return await (_UNREAD if unread else _NAMED).fetch_all(pool, connector_id=connector_id)


_given = (
    func.unnest(_keys, bindparam("names", type_=ARRAY(Text)))
    .table_valued(column("key", Text), column("name", Text))
    .render_derived(name="given")
)
_insert_groups = insert(SourcePrincipal).from_select(
    ["connector_id", "key", "name"], select(_connector_id, _given.c.key, _given.c.name).order_by(_given.c.key)
)
_GROUPS: Final = Command(
    _insert_groups.on_conflict_do_update(
        index_elements=[SourcePrincipal.key, SourcePrincipal.connector_id],
        set_={"name": _insert_groups.excluded.name},
        where=SourcePrincipal.name != _insert_groups.excluded.name,
    )
)
_member = func.unnest(_keys).table_valued(column("key", Text)).render_derived(name="given")
_MEMBERS: Final = Command(
    insert(SourcePrincipal)
    .from_select(["connector_id", "key"], select(_connector_id, _member.c.key).order_by(_member.c.key))
    .on_conflict_do_nothing(index_elements=[SourcePrincipal.key, SourcePrincipal.connector_id])
)

_pair = (
    func.unnest(bindparam("of_groups", type_=ARRAY(Text)), bindparam("members", type_=ARRAY(Text)))
    .table_valued(column("group_key", Text), column("member_key", Text))
    .render_derived(name="pair")
)
_group, _of_group = aliased(SourcePrincipal, name="of_group"), aliased(SourcePrincipal, name="member")
_read = (
    select(SourcePrincipal.id)
    .where(SourcePrincipal.connector_id == _connector_id, SourcePrincipal.key == any_(_keys))
    .cte("read")
)
_requested = (
    select(_group.id.label("group_id"), _of_group.id.label("member_id"))
    .select_from(_pair)
    .join(_group, and_(_group.connector_id == _connector_id, _group.key == _pair.c.group_key))
    .join(_of_group, and_(_of_group.connector_id == _connector_id, _of_group.key == _pair.c.member_key))
    .cte("requested")
    .prefix_with("MATERIALIZED")
)
_is_requested = exists().where(
    _requested.c.group_id == SourceMember.group_id, _requested.c.member_id == SourceMember.member_id
)
_removed = (
    delete(SourceMember)
    .where(SourceMember.group_id.in_(select(_read.c.id)), ~_is_requested)
    .returning(SourceMember.group_id)
    .cte("removed")
)
_added = (
    insert(SourceMember)
    .from_select(["group_id", "member_id"], select(_requested.c.group_id, _requested.c.member_id))
    .on_conflict_do_nothing()
    .returning(SourceMember.group_id)
    .cte("added")
)
_MEMBERSHIPS: Final = Command(
    update(SourcePrincipal)
    .where(SourcePrincipal.id.in_(select(_read.c.id)))
    .values(members_read_at=func.now())
    .add_cte(_removed, _added)
)
"""Replaces the members of groups by those that were read, and records the time."""


class GroupReading:
    """One pass over the groups of a connector; its pages are applied as they arrive.

    Former members are removed with the page that omits them. A group whose members could not all be read is unchanged,
    until it is too old to grant access (`echomind_lib.access.source_principals.GROUP_HOURS`).
    """

    def __init__(self, pool: asyncpg.Pool, connector_id: int, named: Iterable[str]) -> None:
        """Starts the sync of groups.

        Args:
            pool: The database.
            connector_id: The connector.
            named: The requested groups, as returned by `named_groups`.
        """
        self._pool = pool
        self._connector_id = connector_id
        self._missing = set(named)

    async def apply(self, page: GroupPage) -> None:
        """Stores the people and groups of a page; after the last one, groups that no longer exist have no members."""
        for group in page.groups:
            self._missing.discard(group.key)
        complete = {group.key: group for group in page.groups if group.is_complete}
        pairs = [(key, member) for key, group in complete.items() for member in group.members]
        async with self._pool.acquire() as connection, connection.transaction():
            await apply_people(connection, self._connector_id, page.people)
            if page.groups:
                known = {group.key: group for group in page.groups}
                names = [single_line(group.name, NAME_CHARACTERS) for group in known.values()]
                await _GROUPS.execute(connection, connector_id=self._connector_id, keys=list(known), names=names)
            await _MEMBERS.execute(
                connection, connector_id=self._connector_id, keys=sorted({member for _, member in pairs})
            )
            await _MEMBERSHIPS.execute(
                connection,
                connector_id=self._connector_id,
                keys=list(complete),
                of_groups=[key for key, _ in pairs],
                members=[member for _, member in pairs],
            )
            if page.is_complete and self._missing:
                await self._empty(connection, sorted(self._missing))

    async def _empty(self, connection: asyncpg.pool.PoolConnectionProxy, keys: Sequence[str]) -> None:
        await _MEMBERSHIPS.execute(
            connection, connector_id=self._connector_id, keys=list(keys), of_groups=[], members=[]
        )

"""Whom a source names, and what anybody may know: conditions that statements contain for a reader."""

from typing import Any

import asyncpg
import pytest
from sqlalchemy import bindparam, select

from echomind_lib.access import Principal
from echomind_lib.access.documents import chunk_scope, principal_scope
from echomind_lib.access.knowledge import has_knowledge, knowledge_listed
from echomind_lib.access.source_principals import GROUP_HOURS, principals_of
from echomind_lib.db.models import User
from echomind_lib.db.models.knowledge import KnowledgeEntity
from echomind_lib.db.statements import Query
from tests.factories import rows

_PRINCIPALS = Query(principals_of(bindparam("user_id")), int)
_MAY_KNOW = Query(select(has_knowledge(User)).where(User.id == bindparam("user_id")), bool)
_LISTED = Query(select(KnowledgeEntity.id).where(knowledge_listed().where(KnowledgeEntity)), int)
_LISTED_BESIDE = Query(
    select(KnowledgeEntity.id)
    .select_from(KnowledgeEntity)
    .join(User, User.id == bindparam("user_id"))
    .where(knowledge_listed().where(KnowledgeEntity, User)),
    int,
)


def test_chunks_of_a_source_with_readers_are_of_these_alone() -> None:
    assert chunk_scope("org", 1, None, [3, 5]) == [principal_scope(3), principal_scope(5)]
    assert chunk_scope("org", 1, None, []) == []
    assert isinstance(chunk_scope("org", 1, None, None), str)


async def test_an_address_names_one_person_of_each_connector(connection: asyncpg.Connection) -> None:
    person = await rows.user(connection, is_email_verified=True)
    first, second = [await rows.source_principal(connection, email=person["email"]) for _ in range(2)]
    held = set(await _PRINCIPALS.fetch_all(connection, user_id=person["id"]))
    assert held == {first["id"], second["id"]}
    await rows.source_principal(connection, email=person["email"].upper(), connector_id=first["connector_id"])
    assert await _PRINCIPALS.fetch_all(connection, user_id=person["id"]) == [second["id"]]


@pytest.mark.parametrize(("seconds", "holds"), [(-30, True), (30, False)])
@pytest.mark.parametrize(("minutes", "hours"), [(None, GROUP_HOURS), (60, GROUP_HOURS), (3 * 24 * 60, 6 * 24)])
async def test_memberships_are_valid_for_a_day_or_until_the_second_sync(
    connection: asyncpg.Connection, minutes: int | None, hours: int, seconds: int, holds: bool
) -> None:
    person = await rows.user(connection, is_email_verified=True)
    member = await rows.source_principal(connection, email=person["email"])
    await connection.execute(
        "UPDATE connectors SET refresh_freq_minutes = $1 WHERE id = $2", minutes, member["connector_id"]
    )
    read_at = await connection.fetchval("SELECT now() - make_interval(hours => $1, secs => $2)", hours, float(seconds))
    group = await rows.source_principal(
        connection, key="group:test:all", connector_id=member["connector_id"], members_read_at=read_at
    )
    await rows.insert(connection, "source_members", {"group_id": group["id"], "member_id": member["id"]})
    held = set(await _PRINCIPALS.fetch_all(connection, user_id=person["id"]))
    assert held == ({member["id"], group["id"]} if holds else {member["id"]})


async def test_knowledge_of_another_person_is_nothing_to_know(connection: asyncpg.Connection) -> None:
    reader, other = await rows.user(connection), await rows.user(connection)

    async def may_know() -> bool | None:
        return await _MAY_KNOW.fetch_one(connection, user_id=reader["id"])

    await rows.knowledge(connection, level="individual", user_id=other["id"])
    assert await may_know() is False
    await rows.knowledge(connection, level="individual", user_id=reader["id"])
    assert await may_know() is True


async def test_superadmins_list_what_was_drawn_from_documents_that_nobody_can_read(
    connection: asyncpg.Connection,
) -> None:
    author = await rows.user(connection)
    entity = await rows.knowledge(connection, level="public", user_id=author["id"])
    # Neither the document nor its connector is there any more.
    source = {"knowledge_id": entity["id"], "document_id": 500_000}
    await rows.insert(connection, "knowledge_sources", source)

    async def listed(*roles: str) -> list[list[int]]:
        person: Any = await rows.user(connection, roles=list(roles))
        values = knowledge_listed().values(Principal(person["id"], frozenset(roles), frozenset()))
        return [
            await _LISTED.fetch_all(connection, **values),
            await _LISTED_BESIDE.fetch_all(connection, user_id=person["id"]),
        ]

    assert await listed("user") == [[], []]
    assert await listed("superadmin") == [[entity["id"]], [entity["id"]]]

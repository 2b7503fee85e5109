"""Permission to read all sources of a session, including sessions of earlier versions."""

import itertools

import asyncpg
import pytest
from sqlalchemy import bindparam, select

from echomind_lib.access import Principal
from echomind_lib.access.sources import SourcesRule, may_read_sources, sources_publishable, sources_readable
from echomind_lib.db import migrate
from echomind_lib.db.models import ChatSession, ChatSessionSource, User
from echomind_lib.db.statements import Query
from tests.drivers.migrations import run_migration
from tests.factories import rows


class Place:
    """A person, a session that drew on documents, and where these are."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection

    async def begin(self) -> "Place":
        self.person = await rows.user(self.connection, groups=["sales"])
        self.owner = await rows.user(self.connection)
        self.session = await rows.chat_session(self.connection, user_id=self.owner["id"])
        await self.draw(scope="org")  # readable by everyone, so that the other document decides
        return self

    async def draw(self, **connector: object) -> int:
        """Draws on a document of a new connector; returns it."""
        made = await rows.connector(self.connection, **{"user_id": self.owner["id"]} | connector)
        document = await rows.document(self.connection, connector_id=made["id"])
        await rows.session_source(self.connection, chat_session_id=self.session["id"], document_id=document["id"])
        return int(document["id"])

    async def grant(self, document_id: int) -> None:
        """Makes the person a reader at the source."""
        connector_id = await self.connection.fetchval("SELECT connector_id FROM documents WHERE id = $1", document_id)
        principal = await rows.source_principal(self.connection, connector_id=connector_id, key=f"user:{document_id}")
        await rows.source_alias(self.connection, key=principal["key"], user_id=self.person["id"])
        await rows.insert(
            self.connection, "document_acl", {"document_id": document_id, "principal_id": principal["id"]}
        )

    async def remove(self, document_id: int, *, entirely: bool = True) -> None:
        await self.connection.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)
        if entirely:
            await self.connection.execute("DELETE FROM documents WHERE id = $1", document_id)

    async def reads(self, rule: SourcesRule) -> bool:
        """Returns whether the person may read all sources; every form of the rule says the same."""
        person = self.person
        principal = Principal(person["id"], frozenset(person["roles"]), frozenset(person["groups"]))
        drawn = ChatSessionSource.chat_session_id
        by_values = Query(select(ChatSession.id).where(rule.where(drawn, ChatSession.id)), int)
        by_row = Query(
            select(ChatSession.id)
            .join(User, User.id == bindparam("person"))
            .where(rule.where(drawn, ChatSession.id, User)),
            int,
        )
        allowed = await by_values.fetch_all(self.connection, **rule.values(principal))
        assert allowed == await by_row.fetch_all(self.connection, person=person["id"])
        found = self.session["id"] in allowed
        if rule is sources_readable():
            assert found == await may_read_sources(self.connection, principal, self.session["id"])
        return found


@pytest.fixture
async def place(connection: asyncpg.Connection) -> Place:
    return await Place(connection).begin()


SCOPES: list[tuple[dict[str, object], bool]] = [
    ({"scope": "org"}, True),
    ({"scope": "group", "scope_id": "sales"}, True),
    ({"scope": "group", "scope_id": "board"}, False),
    ({"scope": "user"}, False),
    ({"scope": "org", "permission_mode": "source"}, False),
]


@pytest.mark.parametrize(("connector", "expected"), SCOPES)
async def test_all_documents_must_be_readable(place: Place, connector: dict[str, object], expected: bool) -> None:
    await place.draw(**connector)
    assert await place.reads(sources_readable()) is expected
    assert await place.reads(sources_publishable()) is expected


async def test_readers_at_the_source_count(place: Place) -> None:
    document_id = await place.draw(scope="org", permission_mode="source")
    await place.grant(document_id)
    assert await place.reads(sources_readable())
    await place.connection.execute("DELETE FROM document_acl WHERE document_id = $1", document_id)
    assert not await place.reads(sources_readable())


@pytest.mark.parametrize(("case", "entirely"), list(itertools.product(SCOPES, (False, True))))
async def test_a_removed_document_counts_as_its_connector(
    place: Place, case: tuple[dict[str, object], bool], entirely: bool
) -> None:
    connector, expected = case
    document_id = await place.draw(**connector)
    if connector.get("permission_mode"):
        await place.grant(document_id)
    await place.remove(document_id, entirely=entirely)
    assert await place.reads(sources_readable()) is expected
    assert not await place.reads(sources_publishable()), "what is shown outside ends with its sources"


async def test_a_removed_document_counts_as_the_connector_that_it_was_moved_to(place: Place) -> None:
    document_id = await place.draw(scope="org")
    private = await rows.connector(place.connection, scope="user", user_id=place.owner["id"])
    await place.connection.execute("UPDATE documents SET connector_id = $2 WHERE id = $1", document_id, private["id"])
    await place.remove(document_id)
    assert not await place.reads(sources_readable())


@pytest.mark.parametrize("entirely", [False, True])
async def test_with_its_connector_a_document_is_for_nobody_else(place: Place, entirely: bool) -> None:
    document_id = await place.draw(scope="org")
    connector_id = await place.connection.fetchval("SELECT connector_id FROM documents WHERE id = $1", document_id)
    await place.connection.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", connector_id)
    if entirely:
        await place.remove(document_id)
        await place.connection.execute("DELETE FROM connectors WHERE id = $1", connector_id)
    assert not await place.reads(sources_readable())
    assert not await place.reads(sources_publishable())


async def test_what_drew_on_nothing_is_readable(place: Place) -> None:
    await place.connection.execute("DELETE FROM chat_session_sources")
    assert await place.reads(sources_readable())
    assert await place.reads(sources_publishable())


async def test_a_cited_document_with_readers_at_its_source_can_be_deleted(connection: asyncpg.Connection) -> None:
    document = await rows.document(connection, source_readers='{"is_known": true}')
    citation = await rows.citation(connection, document_id=document["id"], title="T", snippet="words")
    await connection.execute("DELETE FROM documents WHERE id = $1", document["id"])
    left = await connection.fetchrow("SELECT * FROM chat_message_documents WHERE id = $1", citation["id"])
    assert left is not None
    assert (left["document_id"], left["title"], left["snippet"]) == (None, "", "")


async def test_sources_of_sessions_from_earlier_versions_are_those_found_and_cited(postgres_url: str) -> None:
    await run_migration(postgres_url, "downgrade", "0025")
    connection = await asyncpg.connect(postgres_url)
    try:
        found, cited = (await rows.document(connection), await rows.document(connection))
        session = await rows.chat_session(connection)
        run = await rows.run(connection, chat_session_id=session["id"])
        step = await rows.step(connection, run_id=run["id"])
        sources = f'[{{"documentId": "{found["id"]}"}}, {{"documentId": "{cited["id"]}"}}]'
        await rows.tool_call(connection, step_id=step["id"], sources=sources)
        given = {"chat_session_id": session["id"], "role": "user"}  # in those versions, messages had no author
        message = await rows.insert(connection, "chat_messages", given)
        await rows.citation(connection, chat_message_id=message["id"], document_id=cited["id"])
        given = {"chat_session_id": (await rows.chat_session(connection))["id"], "role": "user"}
        other = await rows.insert(connection, "chat_messages", given)
        await rows.citation(connection, chat_message_id=other["id"], document_id=None)
        await migrate.upgrade_async(postgres_url)
        stored = await connection.fetch("SELECT chat_session_id, document_id FROM chat_session_sources")
    finally:
        await connection.close()
    assert sorted(tuple(row) for row in stored) == [
        (session["id"], found["id"]),
        (session["id"], cited["id"]),
        (other["chat_session_id"], 0),
    ]

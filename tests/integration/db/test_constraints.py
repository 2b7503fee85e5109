"""Every CHECK rejects exactly the invalid values."""

import re
from typing import Any, get_args

import asyncpg
import pytest

from echomind_lib.db import words
from tests.drivers.refusals import Insert, refused, rolled_back
from tests.drivers.tables import for_each
from tests.factories import rows
from tests.factories.checked_rows import quota
from tests.factories.checks import RANGES, WORDS

# CHECKs with tests of their own below.
SINGLE = {
    "connectors_scope_check",
    "quotas_scope_check",
    "quotas_subject_check",
    "legal_holds_subject_check",
    "runs_kind_check",
    "assistant_members_member_id_check",
    "chat_message_documents_sentence_check",
    "chat_message_documents_span_check",
    "chat_message_documents_url_check",
    "chunk_feedback_span_check",
}


async def test_every_check_is_tested(connection: asyncpg.Connection) -> None:
    found = await connection.fetch(
        "SELECT conname FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace"
    )

    tested = {name for name, *_ in RANGES} | {f"{table}_{column}_check" for table, _, column, _ in WORDS} | SINGLE
    assert {row["conname"] for row in found} == tested


@for_each(("name", "insert", "column", "good", "bad"), RANGES)
async def test_a_check_over_values(
    connection: asyncpg.Connection, name: str, insert: Insert, column: str, good: list[Any], bad: list[Any]
) -> None:
    async with rolled_back(connection):
        for value in good:
            await insert(connection, **{column: value})
        for value in bad:
            assert await refused(connection, insert, asyncpg.CheckViolationError, **{column: value}) == name


@for_each(("table", "insert", "column", "literal"), WORDS)
async def test_a_check_over_words(
    connection: asyncpg.Connection, table: str, insert: Insert, column: str, literal: Any
) -> None:
    async with rolled_back(connection):
        for word in get_args(literal):
            await insert(connection, **{column: word})
        name = await refused(connection, insert, asyncpg.CheckViolationError, **{column: "nonsense"})
        assert name == f"{table}_{column}_check"


async def test_scopes(connection: asyncpg.Connection) -> None:
    await rows.connector(connection, scope="user")
    await rows.connector(connection, scope="group", scope_id="g")
    await rows.connector(connection, scope="org")
    assert (
        await refused(connection, rows.connector, asyncpg.CheckViolationError, scope="all") == "connectors_scope_check"
    )


async def test_run_kinds_are_the_words(connection: asyncpg.Connection) -> None:
    definition = await connection.fetchval(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'runs_kind_check'"
    )
    assert set(re.findall(r"'(\w+)'", definition)) == set(get_args(words.RunKind))


@pytest.mark.parametrize("what", ["sentence", "span"])
async def test_places_of_citations(connection: asyncpg.Connection, what: str) -> None:
    for start, end in ((0, 0), (3, 9), (None, None)):
        await rows.citation(connection, **{f"{what}_start": start, f"{what}_end": end})
    for start, end in ((-1, 2), (5, 4)):
        name = await refused(
            connection, rows.citation, asyncpg.CheckViolationError, **{f"{what}_start": start, f"{what}_end": end}
        )
        assert name == f"chat_message_documents_{what}_check"


async def test_a_citation_is_of_a_document_or_a_web_page(connection: asyncpg.Connection) -> None:
    page = {"url": "https://example.org/", "document_id": None}
    assert (await rows.citation(connection, **page))["url"] == page["url"]
    document = await rows.document(connection)
    both = page | {"document_id": document["id"]}
    name = await refused(connection, rows.citation, asyncpg.CheckViolationError, **both)
    assert name == "chat_message_documents_url_check"


async def test_places_of_rated_words(connection: asyncpg.Connection) -> None:
    for start, end in ((0, 0), (3, 9), (None, None)):
        await rows.chunk_feedback(connection, span_start=start, span_end=end)
    for start, end in ((-1, 4), (5, 4)):
        values = {"span_start": start, "span_end": end}
        name = await refused(connection, rows.chunk_feedback, asyncpg.CheckViolationError, **values)
        assert name == "chunk_feedback_span_check"


async def test_run_statuses_are_active_or_final() -> None:
    assert {*words.ACTIVE_RUN_STATUSES, *words.FINAL_RUN_STATUSES} == set(get_args(words.RunStatus))
    assert not set(words.ACTIVE_RUN_STATUSES) & set(words.FINAL_RUN_STATUSES)


async def test_nobody_is_a_member_of_itself(connection: asyncpg.Connection) -> None:
    assistant = await rows.assistant(connection)
    both = {"assistant_id": assistant["id"], "member_id": assistant["id"]}
    name = await refused(connection, rows.assistant_member, asyncpg.CheckViolationError, **both)
    assert name == "assistant_members_member_id_check"


@pytest.mark.parametrize("scope", get_args(words.QuotaScope))
async def test_a_quota_binds_what_its_scope_says(connection: asyncpg.Connection, scope: str) -> None:
    member = await rows.group_member(connection)
    key = await rows.api_key(connection, user_id=member["user_id"])
    subjects = {
        "nobody": {},
        "group": {"group_id": member["group_id"]},
        "user": {"user_id": member["user_id"]},
        "key": {"api_key_id": key["id"]},
    }
    fitting = {
        "organization": {"nobody"},
        "group": {"group"},
        "member": {"nobody", "group"},
        "user": {"user"},
        "key": {"key"},
    }[scope]
    for name, subject in subjects.items():
        if name in fitting:
            await quota(connection, scope=scope, **subject)
        else:
            error = asyncpg.CheckViolationError
            assert await refused(connection, quota, error, scope=scope, **subject) == "quotas_subject_check"
    # An unknown word violates both, of which PostgreSQL names one.
    violated = await refused(connection, quota, asyncpg.CheckViolationError, scope="nonsense")
    assert violated == "quotas_scope_check"

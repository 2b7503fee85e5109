"""The export of one person: what is in it, what is not, and who may have it."""

import asyncio
import io
import json
import zipfile
from typing import Any

import asyncpg
import pytest
from sqlalchemy import JSON, LargeBinary, String

from echomind_api.main import Gateway
from echomind_api.privacy import exports
from echomind_api.privacy.export_rules import LEFT_OUT_COLUMNS, LEFT_OUT_TABLES, parts
from echomind_api.privacy.registry import STORES
from echomind_lib.contract import CallContext
from echomind_lib.db.models import Base
from echomind_lib.encrypted_columns import ENCRYPTED
from echomind_lib.errors import NotFoundError, OverloadedError, PermissionDeniedError, ValidationFailedError
from echomind_lib.objects import original_key
from tests.drivers.client import Client, error_of
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import marker
from tests.factories import rows as make
from tests.factories.conversations import converse
from tests.factories.secret_columns import SECRET_NAME

JSON_COLUMNS = {
    "users.preferences": "settings of the web UI",
    "scim_users.attributes": "what the person's organization has sent of them",
    "chat_sessions.error": "a reason and a sentence",
    "chat_sessions.preferences": "choices for the conversation",
    "chat_sessions.metadata": "what a program of the person has stored",
    "runs.error": "a reason and a sentence",
    "runs.metadata": "what a program of the person has stored",
    "todos.dependencies": "numbers of tasks",
    "knowledge_entities.tags": "words",
    "knowledge_revisions.tags": "words",
    "connectors.config": "what the owner has set and sees",
}
"""Columns with JSON that are exported, and what they hold."""


async def export(client: Client, user_id: int) -> zipfile.ZipFile:
    headers = {"Authorization": f"Bearer {client.key}"} if client.key else {}
    async with client.session.get(f"{client.http_url}/api/v1/users/{user_id}:export", headers=headers) as response:
        if response.status >= 400:
            raise error_of(await response.json())
        assert response.headers["Content-Type"] == "application/zip"
        assert f"echomind-user-{user_id}-" in response.headers["Content-Disposition"]
        assert response.headers["Cache-Control"] == "private, no-store"
        archive = zipfile.ZipFile(io.BytesIO(await response.read()))
    assert archive.testzip() is None
    return archive


def lines(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(f"data/{name}.jsonl").splitlines()]


def whole(archive: zipfile.ZipFile) -> str:
    """Returns the texts and names of everything in an archive."""
    return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


def test_every_table_of_the_registry_is_exported_or_left_out_for_a_reason() -> None:
    exported = {part.table.name for part in parts()}
    assert exported | LEFT_OUT_TABLES.keys() == {store.table for store in STORES}
    assert not exported & LEFT_OUT_TABLES.keys()
    assert all(LEFT_OUT_TABLES.values())
    for name, columns in LEFT_OUT_COLUMNS.items():
        assert name in exported
        assert columns.keys() <= set(Base.metadata.tables[name].c.keys()), name
        assert all(columns.values())


def test_no_column_with_a_secret_is_exported_and_json_only_where_it_was_decided() -> None:
    """A new column of these kinds must be left out, or be decided here."""
    encrypted = {each.name for group in ENCRYPTED for each in group}
    with_json = set()
    for part in parts():
        for column in part.columns:
            name = f"{part.table.name}.{column.name}"
            assert name not in encrypted
            assert not isinstance(column.type, LargeBinary), name
            if isinstance(column.type, String) and name != "audit_log.credential":
                assert not SECRET_NAME.search(column.name), name
            assert not column.name.endswith(("_hash", "sha256", "_token")), name
            if isinstance(column.type, JSON):
                with_json.add(name)
    assert with_json == JSON_COLUMNS.keys()


async def test_an_export_holds_what_is_the_persons_and_nothing_of_others(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "_PAGE_ROWS", 2)
    somebody, colleague, own, foreign, secret = await new_user(), await new_user(), marker(), marker(), marker()
    session = await converse(pool, somebody.user_id, own)
    await pool.execute("DELETE FROM steps WHERE rendered_prompt = $1", own)
    memories = [(await make.memory(pool, user_id=somebody.user_id, content=f"{own} {n}"))["id"] for n in range(5)]
    await make.memory(pool, user_id=colleague.user_id, content=foreign)
    # A notebook of the person in which a colleague, who has left it, wrote.
    notebook = await make.notebook(pool, user_id=somebody.user_id, title=own)
    note = {"notebook_id": notebook["id"], "title": foreign, "content": foreign}
    await make.insert(pool, "notebook_notes", note | {"user_id": colleague.user_id})
    await make.insert(pool, "notebook_notes", note | {"user_id": somebody.user_id, "title": own, "content": own})
    theirs = await converse(pool, colleague.user_id, foreign)
    await pool.execute("UPDATE chat_sessions SET notebook_id = $2 WHERE id = $1", theirs, notebook["id"])
    # A copied conversation: a question of a colleague with its answer, and the person's own.
    of_session = {"chat_session_id": session}
    copied = {"role": "user", "author_kind": "foreign", "author_id": colleague.user_id, "content": foreign}
    question = await make.insert(pool, "chat_messages", of_session | copied)
    answer = {"role": "assistant", "author_kind": "assistant", "content": foreign, "parent_message_id": question["id"]}
    await make.insert(pool, "chat_messages", of_session | answer)
    asked = {"role": "user", "author_kind": "person", "author_id": somebody.user_id, "content": own}
    mine = await make.insert(pool, "chat_messages", of_session | asked)
    await make.insert(pool, "chat_messages", of_session | answer | {"content": own, "parent_message_id": mine["id"]})
    # A copy of the person's words in a conversation of the colleague.
    elsewhere = asked | {"chat_session_id": theirs, "author_kind": "foreign", "content": f"{own} copied"}
    await make.insert(pool, "chat_messages", elsewhere)
    # Secrets, and a hold that the person must not see.
    await pool.execute("UPDATE chat_message_documents SET snippet = $1 WHERE snippet = $2", secret, own)
    hold = await make.insert(pool, "legal_holds", {"user_id": somebody.user_id, "reason": secret})
    await make.insert(pool, "credentials", {"user_id": somebody.user_id, "password_hash": secret})
    connector = await make.connector(pool, user_id=somebody.user_id, name=own, scope="user")
    await pool.execute("UPDATE connectors SET encrypted_credentials = $2 WHERE id = $1", connector["id"], secret)
    document = await make.document(
        pool, connector_id=connector["id"], title=own, status="completed", source_id="../../etc/a:b.txt", signature="s"
    )
    lost = await make.document(pool, connector_id=connector["id"], status="completed", signature="lost")
    await gateway.parts.dependencies.objects.put(original_key(document["id"], "s"), own.encode())

    archive = await export(somebody, somebody.user_id)
    manifest = json.loads(archive.read("manifest.json"))
    assert archive.namelist()[0] == "README.txt"
    assert archive.namelist()[-1] == "manifest.json"
    text = whole(archive)
    assert foreign not in text
    assert secret not in text
    assert [row["id"] for row in lines(archive, "agent_memories")] == memories
    assert [row["id"] for row in lines(archive, "chat_sessions")] == [session]
    assert [row["content"] for row in lines(archive, "chat_messages")].count(own) == 3
    assert [row["content"] for row in lines(archive, "messages_in_conversations_of_others")] == [f"{own} copied"]
    assert lines(archive, "messages_in_conversations_of_others")[0].keys() == {"id", "content", "creation_date"}
    assert lines(archive, "users")[0]["id"] == somebody.user_id
    assert [row["content"] for row in lines(archive, "notebook_notes")] == [own]
    assert archive.read(f"files/{document['id']}/ab.txt") == own.encode()
    assert manifest["files"] == 1
    assert manifest["missingFiles"] == [str(lost["id"])]
    assert manifest["rows"]["agent_memories"] == 5
    data = {name.removeprefix("data/").removesuffix(".jsonl") for name in archive.namelist() if "data/" in name}
    assert manifest["rows"].keys() == data
    assert manifest["leftOut"]["tables"] == dict(LEFT_OUT_TABLES)
    await pool.execute("DELETE FROM legal_holds WHERE id = $1", hold["id"])


async def test_superadmins_export_anybody_and_the_log_says_so(new_user: NewUser, pool: asyncpg.Pool) -> None:
    boss, admin, somebody = await new_user("superadmin"), await new_user("admin"), await new_user()
    await export(somebody, somebody.user_id)
    for client in (somebody, admin):
        for user_id in (boss.user_id, 2_000_000_000):  # refused the same way: it does not say who is there
            with pytest.raises(PermissionDeniedError, match="superadmin"):
                await export(client, user_id)
    await pool.execute("UPDATE users SET is_active = false WHERE id = $1", somebody.user_id)
    assert lines(await export(boss, somebody.user_id), "users")[0]["is_active"] is False
    entries = await pool.fetch(
        "SELECT actor_id, target FROM audit_log WHERE action = 'UserService/ExportUser' AND NOT denied"
        " AND actor_id = ANY($1) ORDER BY id",
        [boss.user_id, admin.user_id, somebody.user_id],
    )
    target = f"users/{somebody.user_id}"
    assert [tuple(entry) for entry in entries] == [(somebody.user_id, target), (boss.user_id, target)]
    with pytest.raises(NotFoundError):
        await export(boss, 2_000_000_000)
    program = await make.service_account(pool)
    with pytest.raises(ValidationFailedError, match="service account"):
        await export(boss, program["id"])


async def call_of(gateway: Gateway, client: Client) -> CallContext:
    metadata = {"authorization": f"Bearer {client.key}"}
    call = CallContext("echomind.public.v1.UserService/ExportUser", metadata, transport="http")
    await gateway.parts.authentication.authenticate(call)
    return call


async def test_a_caller_reads_few_exports_at_a_time(new_user: NewUser, gateway: Gateway) -> None:
    somebody = await new_user()
    call = await call_of(gateway, somebody)
    opening = [gateway.parts.exports.open(somebody.user_id, call) for _ in range(3)]
    opened = await asyncio.gather(*opening, return_exceptions=True)
    refused = [each for each in opened if isinstance(each, BaseException)]
    assert [type(each) for each in refused] == [OverloadedError], "those that nothing was read of count"
    with pytest.raises(OverloadedError, match="at the same time"):
        await export(somebody, somebody.user_id)
    for pieces in opened:
        if not isinstance(pieces, BaseException):
            await pieces.aclose()
    with pytest.raises(NotFoundError):
        await gateway.parts.exports.open(2**31 - 1, await call_of(gateway, await new_user("superadmin")))
    await export(somebody, somebody.user_id)


async def test_an_export_ends_when_the_rights_end(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "_RECHECK_SECONDS", -1.0)
    boss, somebody = await new_user("superadmin"), await new_user()
    call = await call_of(gateway, boss)
    pieces = await gateway.parts.exports.open(somebody.user_id, call)
    assert await anext(pieces)
    limit = {"scope": "user", "user_id": boss.user_id, "period": "minute", "max_requests_per_minute": 10_000}
    await make.insert(pool, "quotas", limit)
    gateway.parts.dependencies.principals.forget(boss.user_id)
    assert await anext(pieces), "another limit is no other right"
    await pool.execute("UPDATE users SET roles = '{user}' WHERE id = $1", boss.user_id)
    gateway.parts.dependencies.principals.forget(boss.user_id)
    with pytest.raises(PermissionDeniedError, match="rights have changed"):
        async for _ in pieces:
            pass

"""Legal holds: what they keep, and for how long."""

from datetime import UTC, datetime

import asyncpg
import pytest

from echomind_api.main import Gateway
from echomind_api.retention import expiries
from echomind_ingestor.pipeline.removal import Removal
from echomind_lib.documents.changes import Change, DocumentChanges
from echomind_lib.errors import DeletionHeldError, NotFoundError, ValidationFailedError
from echomind_lib.indexes import Indexes
from echomind_lib.learned.memories.erasure import erase_memories
from tests.drivers.client import Client, Transport
from tests.drivers.erasures import place_hold, release_hold, seed_person
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import marker, tables_with
from tests.factories import rows as make
from tests.factories.conversations import converse


async def test_what_is_held_is_kept_until_it_is_released(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    ids = await seed_person(pool, somebody.user_id, text)
    hold = await place_hold(boss, via, userId=somebody.user_id)
    assert (hold["userId"], hold["reason"], "releasedAt" in hold) == (somebody.user_id, "Case 7", False)
    before = await tables_with(pool, text)
    deletions = [
        ("ChatSessionService/PurgeChatSession", {"id": ids["session"]}),
        ("MemoryService/DeleteMemory", {"id": ids["memory"]}),
        ("MemoryService/DeleteAllMemories", {}),
        ("DocumentService/PurgeDocument", {"id": ids["document"]}),
        ("NotebookService/PurgeNotebook", {"id": ids["notebook"]}),
    ]
    for method, request in deletions:
        with pytest.raises(DeletionHeldError, match="your organization has to keep it") as refused:
            await somebody.call(method, request, via)
        assert "Case 7" not in str(refused.value)
    with pytest.raises(DeletionHeldError):  # as the tool with which a model forgets
        await erase_memories(pool, somebody.user_id, [ids["memory"]])
    for method in ("ErasureService/EraseUser", "UserService/PurgeUser"):
        key = "id" if method.startswith("User") else "userId"
        with pytest.raises(DeletionHeldError, match="legal hold"):
            await boss.call(method, {key: somebody.user_id}, via)
    assert (await boss.call("UserService/GetUser", {"id": somebody.user_id}, via))["isActive"]
    await somebody.call("DocumentService/DeleteDocument", {"id": ids["document"]}, via)
    parts = gateway.parts.dependencies
    removal = Removal(pool, parts.objects, Indexes(pool, parts.vectors))
    await removal.run()
    await pool.execute(
        "UPDATE chat_sessions SET deleted_date = now() - interval '3000 days' WHERE id = $1", ids["session"]
    )
    removed = expiries(parts.database, gateway.parts.sessions_service._purge)["removed_chat_sessions"](2900)
    assert (await removed.preview()).count == 0
    assert await removed.sweep() == 0
    assert await tables_with(pool, text) == before

    assert (await release_hold(boss, hold, via))["releasedByName"]
    assert await removed.sweep() == 1
    for method, request in deletions[1:]:
        if "Document" not in method:
            await somebody.call(method, request, via)
    await removal.run()
    await pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", ids["connector"])
    await removal.run()
    assert await tables_with(pool, text) == set()
    entries = await pool.fetch(
        "SELECT action FROM audit_log WHERE target = $1 ORDER BY id", f"legal-holds/{hold['id']}"
    )
    assert [row["action"] for row in entries] == [
        "LegalHoldService/CreateLegalHold",
        "LegalHoldService/ReleaseLegalHold",
    ]


async def test_what_is_held_is_not_moved_or_shared(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, held, text = await new_user("superadmin"), await new_user("superadmin"), marker()
    files = {"user_id": held.user_id, "type": "file"}
    [own, other] = [(await make.connector(pool, **files))["id"] for _ in range(2)]
    shared = (await make.connector(pool, **files, scope="org"))["id"]
    document = (await make.document(pool, connector_id=own, title=text, status="completed"))["id"]
    fact = (await make.knowledge(pool, user_id=held.user_id, level="individual"))["id"]
    hold = await place_hold(boss, via, userId=held.user_id)
    single, every = {"ids": [document]}, {"filter": {"connectorIds": [own, other]}}
    share = {"id": own, "connector": {"scope": "SCOPE_ORG"}, "updateMask": "scope"}
    changes = [
        ("ConnectorService/UpdateConnector", share),
        ("DocumentService/MoveDocuments", {"selection": single, "connectorId": shared}),
        ("DocumentService/MoveDocuments", {"selection": every, "connectorId": shared}),
    ]
    for method, request in changes:
        with pytest.raises(DeletionHeldError, match="moved or shared"):
            await held.call(method, request, via)
    for statement in (
        f"UPDATE documents SET connector_id = {shared} WHERE id = {document}",
        f"UPDATE connectors SET user_id = {boss.user_id} WHERE id = {own}",
        f"UPDATE knowledge_entities SET level = 'organization' WHERE id = {fact}",
    ):
        with pytest.raises(asyncpg.PostgresError, match="legal hold"):
            await pool.execute(statement)
    # A move that began before the hold was placed leaves the documents out.
    parts = gateway.parts.dependencies
    move = Change(action="move", user_id=held.user_id, ids=(document,), last_id=document, connector_id=shared)
    assert await DocumentChanges(parts.database, Indexes(pool, parts.vectors), parts.bus).apply(move) == (0, None)
    await held.call("DocumentService/MoveDocuments", {"selection": single, "connectorId": other}, via)
    await release_hold(boss, hold, via)
    for method, request in changes[::2]:
        await held.call(method, request, via)
    assert await pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document) == shared


async def test_a_hold_on_who_erases_keeps_nothing_of_the_erased(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    boss, held, somebody, text = await new_user("superadmin"), await new_user("superadmin"), await new_user(), marker()
    ids = await seed_person(pool, somebody.user_id, text)
    removed = await make.connector(pool, user_id=somebody.user_id, name=text, deleted_date=datetime.now(UTC))
    own = (await make.connector(pool, user_id=held.user_id))["id"]
    await place_hold(boss, userId=held.user_id)
    await held.call("ErasureService/EraseUser", {"userId": somebody.user_id})
    parts = gateway.parts.dependencies
    await pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", own)
    await Removal(pool, parts.objects, Indexes(pool, parts.vectors)).run()
    assert await tables_with(pool, text) == set()
    left = await pool.fetch("SELECT id FROM connectors WHERE id = ANY($1)", [own, ids["connector"], removed["id"]])
    assert [row["id"] for row in left] == [own]


async def test_a_hold_on_a_conversation_keeps_it_alone(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    held, other = await converse(pool, somebody.user_id, text), await converse(pool, somebody.user_id, "free")
    hold = await place_hold(boss, via, chatSessionId=held)
    await somebody.call("ChatSessionService/PurgeChatSession", {"id": other}, via)
    with pytest.raises(DeletionHeldError):
        await somebody.call("ChatSessionService/PurgeChatSession", {"id": held}, via)
    with pytest.raises(DeletionHeldError):
        await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    await release_hold(boss, hold, via)
    await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert await tables_with(pool, text) == set()


async def test_a_hold_keeps_what_the_person_wrote_in_conversations_of_others(
    new_user: NewUser, pool: asyncpg.Pool
) -> None:
    boss, somebody, owner_ = await new_user("superadmin"), await new_user(), await new_user()
    session = await converse(pool, owner_.user_id, marker())
    question = {"chat_session_id": session, "role": "user", "content": "x", "author_kind": "person"}
    await make.insert(pool, "chat_messages", question | {"author_id": somebody.user_id})
    await place_hold(boss, userId=somebody.user_id)
    with pytest.raises(DeletionHeldError):
        await owner_.call("ChatSessionService/PurgeChatSession", {"id": session})


@pytest.mark.parametrize("subject", [{}, {"userId": 1, "chatSessionId": 1}])
async def test_a_hold_is_on_a_person_or_a_conversation(owner: Client, subject: dict[str, int], via: Transport) -> None:
    with pytest.raises(ValidationFailedError, match="not both"):
        await place_hold(owner, via, **subject)


@pytest.mark.parametrize("subject", [{"userId": 2_000_000_000}, {"chatSessionId": 2_000_000_000}])
async def test_a_hold_is_on_what_there_is(owner: Client, subject: dict[str, int], via: Transport) -> None:
    with pytest.raises(NotFoundError):
        await place_hold(owner, via, **subject)


async def test_released_holds_stay_listed(owner: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    somebody = (await new_user()).user_id
    session = await converse(pool, somebody, "x")
    of_session = await place_hold(owner, via, chatSessionId=session)
    await release_hold(owner, of_session, via)
    hold = await place_hold(owner, via, userId=somebody)
    listed = await owner.call("LegalHoldService/ListLegalHolds", {}, via)
    assert hold["id"] in [each["id"] for each in listed["legalHolds"]]
    await release_hold(owner, hold, via)
    active = await owner.call("LegalHoldService/ListLegalHolds", {}, via)
    assert hold["id"] not in [each["id"] for each in active.get("legalHolds", [])]
    every = await owner.call("LegalHoldService/ListLegalHolds", {"withReleased": True}, via)
    assert every["legalHolds"][0]["id"] == hold["id"]
    assert await release_hold(owner, hold, via) == every["legalHolds"][0]
    erased = await owner.call("ErasureService/EraseUser", {"userId": somebody}, via)
    kept = {item["rule"]: int(item["count"]) for item in erased["items"] if item["store"] == "legal_holds"}
    assert kept == {"ERASURE_RULE_KEEP": 2}
    left = (await owner.call("LegalHoldService/ListLegalHolds", {"withReleased": True}, via))["legalHolds"][:2]
    assert [each["id"] for each in left] == [hold["id"], of_session["id"]]
    assert (left[0]["userId"], left[0].get("userName", ""), left[1]["chatSessionId"]) == (somebody, "", str(session))
    with pytest.raises(NotFoundError):
        await owner.call("LegalHoldService/ReleaseLegalHold", {"id": 2_000_000_000}, via)

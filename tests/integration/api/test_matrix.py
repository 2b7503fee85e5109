"""Permissions: every method as every role on own, shared, foreign and removed resources.

The expectation is the table of docs/architecture.md, "Who may do what". A method that is new in the contract fails here
until it has its row.
"""

from collections.abc import Awaitable
from itertools import cycle
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import pytest

from echomind_api.calls.scopes import required_scope
from echomind_api.main import Gateway
from echomind_lib.contract.http_call import http_rule
from echomind_lib.errors import EchoMindError
from tests.drivers.client import METHODS, SERVICES, TRANSPORTS, Client, Transport, error_of
from tests.drivers.gateway import NewUser
from tests.drivers.tables import Walk
from tests.factories.permissions import TABLE, reachable
from tests.factories.permissions.rows import FORBIDDEN, HIDDEN, MANAGED, OK, OWNERSHIPS, ROLES, SHARED
from tests.factories.references.removal import REMOVE, remove
from tests.factories.world import World, name

WITHOUT_SIGN_IN = {
    "AuthService/GetSignInOptions",
    "DeviceSignInService/CompleteDeviceSignIn",
    "DeviceSignInService/StartDeviceSignIn",
    "SessionShareService/ReadSharedSession",
}
TAKES_MORE = {"ApiKeyService/DeleteApiKey", "ApiKeyService/RotateApiKey", "ApiKeyService/SetApiKeyQuotas"}
"""Where a key needs `administer`, too, for what it has not created."""
FOR_REMOVED = {
    "ChatSessionService/PurgeChatSession",
    "ChatSessionService/RestoreChatSession",
    "NotebookService/PurgeNotebook",
    "NotebookService/RestoreNotebook",
}
"""What is there for removed ones too."""


def test_every_method_has_its_row() -> None:
    assert TABLE.keys() == METHODS.keys()


async def outcome(call: Awaitable[Any], done: list[Any] | None = None) -> str:
    """Returns whether a call was refused because of who calls; any other failure comes after that question.

    The results of calls that have not failed are added to `done`.
    """
    try:
        result = await call
    except EchoMindError as error:
        return error.reason if error.reason in {HIDDEN, FORBIDDEN, "UNAUTHENTICATED"} else OK
    if done is not None:
        done.append(result)
    return OK


@pytest.mark.usefixtures("tool_listing")
@pytest.mark.parametrize("service", SERVICES)
async def test_who_may(world: World, gateway: Gateway, anonymous: Client, service: str) -> None:
    """One walk over the rows of a service's methods."""
    walk = Walk()
    for method in SERVICES[service]:
        with walk.at(method):
            await expect_row(world, gateway, anonymous, method)
    walk.check()


async def expect_row(world: World, gateway: Gateway, anonymous: Client, method: str) -> None:
    """Checks a method's row: who may, what refusals leave in the audit log, what is removed, who is nobody.

    People call with a key that has the method's scope alone; with all others, a key may not.
    The calls go over both transports by turns, as what they share is tested in `tests/contract`.
    """
    scope = required_scope(METHODS[method])
    row, transports = TABLE[method], [via for via in TRANSPORTS if reachable(method, via)]
    turns = cycle(transports)
    await gateway.parts.denials.flush()  # denials of other tests
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    found, expected = {}, {}
    done: list[Any] = []
    for ownership, outcomes in row.expected.items():
        for role, requested in zip(ROLES, outcomes, strict=True):
            somebody, via = world.people[role], next(turns)
            resource = await row.make(world, ownership, somebody)
            caller = somebody if method in TAKES_MORE else await world.with_scope(somebody, scope)
            found[ownership, role, via] = await outcome(caller.call(method, row.ask(resource), via), done)
            expected[ownership, role, via] = requested
            await gateway.parts.denials.flush()  # before somebody who may removes what was denied
    assert found == expected
    denials = await world.pool.fetch("SELECT target FROM audit_log WHERE id > $1 AND denied", before)
    assert len(denials) == sum(requested != OK for requested in expected.values())
    assert all(denial["target"] for denial in denials)
    if scope == "administer" and (rule := http_rule(METHODS[method])) is not None and rule.verb != "GET":
        query = "SELECT target FROM audit_log WHERE id > $1 AND action = $2 AND NOT denied"
        recorded = await world.pool.fetch(query, before, method)
        assert len(recorded) >= len(done), "an administrative write is missing in the audit log"
        assert all(entry["target"] for entry in recorded)
    first_place = next(iter(row.expected))
    if row.make in REMOVE and method not in FOR_REMOVED:
        somebody = world.people["superadmin"]
        resource = await row.make(world, first_place, somebody)
        await remove(world, row.make, resource)
        assert await outcome(somebody.call(method, row.ask(resource), next(turns))) == HIDDEN
    resource = await row.make(world, first_place, world.people["user"])
    for via in transports:
        requested = OK if method in WITHOUT_SIGN_IN else "UNAUTHENTICATED"
        assert await outcome(anonymous.call(method, row.ask(resource), via)) == requested


async def by_hand(somebody: Client, verb: str, path: str, **options: Any) -> None:
    headers = {"Authorization": f"Bearer {somebody.key}"} if somebody.key else {}
    async with somebody.session.request(verb, somebody.http_url + path, headers=headers, **options) as response:
        if response.status >= 400:
            raise error_of(await response.json())


def form(**fields: Any) -> aiohttp.FormData:
    data = aiohttp.FormData()
    for field, value in fields.items():
        data.add_field(field, str(value))
    data.add_field("file", b"x", filename="matrix.txt")
    return data


@pytest.mark.parametrize("ownership", OWNERSHIPS)
async def test_who_may_move_bytes(world: World, ownership: str) -> None:
    for role, may_upload, may_read in zip(ROLES, MANAGED[ownership], SHARED[ownership], strict=True):
        somebody = world.people[role]
        connector = await world.connector(ownership, somebody)
        upload = by_hand(somebody, "POST", "/api/v1/documents:upload", data=form(connector_id=connector))
        assert await outcome(upload) == may_upload, role
        document = await world.document(ownership, somebody)
        # The document has no stored file: readers get an error about the file, others the same about the document.
        with pytest.raises(EchoMindError) as caught:
            await by_hand(somebody, "GET", f"/api/v1/documents/{document}:download")
        assert caught.value.reason == HIDDEN
        assert (caught.value.metadata["resource"] == "object") == (may_read == OK), role


async def test_who_may_export_a_person(world: World, anonymous: Client) -> None:
    for role, may_export in zip(ROLES, (FORBIDDEN, FORBIDDEN, OK), strict=True):
        somebody = world.people[role]
        own, other = somebody.user_id, await world.unneeded_user("foreign", somebody)
        await world.pool.execute("UPDATE users SET is_active = false WHERE id = $1", other)
        removed = await world.unneeded_user("foreign", somebody)
        await world.pool.execute("DELETE FROM users WHERE id = $1", removed)
        gone = HIDDEN if may_export == OK else FORBIDDEN
        for user_id, expected in ((own, OK), (other, may_export), (removed, gone)):
            export = by_hand(somebody, "GET", f"/api/v1/users/{user_id}:export")
            assert await outcome(export) == expected, (role, user_id)
        assert await outcome(by_hand(anonymous, "GET", f"/api/v1/users/{own}:export")) == "UNAUTHENTICATED"


async def test_no_bytes_move_without_a_credential(world: World, anonymous: Client) -> None:
    document = await world.document("org", world.other)
    for call in (
        by_hand(anonymous, "POST", "/api/v1/documents:upload", data=form()),
        by_hand(anonymous, "GET", f"/api/v1/documents/{document}:download"),
    ):
        assert await outcome(call) == "UNAUTHENTICATED"


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_denied_access_is_in_the_audit_log(world: World, via: Transport, gateway: Any, anonymous: Client) -> None:
    somebody = world.people["user"]
    await gateway.parts.denials.flush()  # denials of other tests
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    document = await world.document("foreign", somebody)
    run, todo = await world.run("foreign", somebody), await world.todo("foreign", somebody)
    checkpoint = await world.checkpoint("foreign", somebody)
    known, memory = await world.knowledge("foreign", somebody), await world.memory("foreign", somebody)
    shared = await world.connector("org", somebody)
    await outcome(somebody.call("DocumentService/GetDocument", {"id": document}, via))
    for method, nowhere in (
        ("DocumentService/GetDocument", 2**63 - 1),
        ("AssistantService/GetAssistant", 2**31 - 1),
        ("RunService/GetRun", str(uuid4())),
    ):
        await outcome(somebody.call(method, {"id": nowhere}, via))
    await outcome(somebody.call("ChatMessageService/SendMessage", {"chatSessionId": 2**31 - 1, "content": "x"}, via))
    await outcome(somebody.call("RunService/GetRun", {"id": run}, via))
    await outcome(somebody.call("TodoService/GetTodo", {"id": todo}, via))
    await outcome(somebody.call("CheckpointService/GetCheckpoint", {"id": checkpoint}, via))
    await outcome(somebody.call("KnowledgeService/GetKnowledge", {"id": known}, via))
    await outcome(somebody.call("MemoryService/GetMemory", {"id": memory}, via))
    await outcome(somebody.call("ConnectorService/DeleteConnector", {"id": shared}, via))
    await outcome(somebody.call("UserService/ListUsers", {}, via))
    await outcome(anonymous.as_("em_wrong").call("UserService/ListUsers", {}, via))
    await outcome(anonymous.call("UserService/ListUsers", {}, via))
    await gateway.parts.denials.flush()
    entries = await world.pool.fetch(
        "SELECT actor_id, action, target, detail ->> 'reason' AS reason FROM audit_log"
        " WHERE id > $1 AND denied ORDER BY id",
        before,
    )
    assert [tuple(entry) for entry in entries] == [
        (somebody.user_id, "DocumentService/GetDocument", f"documents/{document}", HIDDEN),
        (somebody.user_id, "RunService/GetRun", f"runs/{run}", HIDDEN),
        (somebody.user_id, "TodoService/GetTodo", f"todos/{todo}", HIDDEN),
        (somebody.user_id, "CheckpointService/GetCheckpoint", f"checkpoints/{checkpoint}", HIDDEN),
        (somebody.user_id, "KnowledgeService/GetKnowledge", f"knowledge/{known}", HIDDEN),
        (somebody.user_id, "MemoryService/GetMemory", f"memories/{memory}", HIDDEN),
        (somebody.user_id, "ConnectorService/DeleteConnector", f"connectors/{shared}", FORBIDDEN),
        (somebody.user_id, "UserService/ListUsers", "users", FORBIDDEN),
        (None, "UserService/ListUsers", "", "UNAUTHENTICATED"),
    ]


FOREIGN_READS = ("GetDocument", "GetDocumentText", "ListDocumentChunks", "DownloadDocument", "RetryDocument")


@pytest.mark.parametrize("method", FOREIGN_READS)
async def test_superadmins_use_of_others_documents_is_in_the_audit_log(world: World, method: str) -> None:
    """One row for each use of a document that was not shared with them, none for others."""
    somebody = world.people["superadmin"]
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    expected = []
    for ownership in OWNERSHIPS:
        document = await world.document(ownership, somebody)
        if method == "DownloadDocument":
            await outcome(by_hand(somebody, "GET", f"/api/v1/documents/{document}:download"))
        else:
            await outcome(somebody.call(f"DocumentService/{method}", {"id": document}))
        if ownership.startswith("foreign"):
            expected.append((somebody.user_id, f"DocumentService/{method}", f"documents/{document}", False))
    entries = await world.pool.fetch(
        "SELECT actor_id, action, target, denied FROM audit_log"
        " WHERE id > $1 AND actor_id = $2 AND NOT denied ORDER BY id",
        before,
        somebody.user_id,
    )
    assert [tuple(entry) for entry in entries] == expected


async def test_a_change_of_many_documents_that_others_read_is_in_the_audit_log(world: World) -> None:
    somebody = world.people["superadmin"]
    recorded = "SELECT action, target, detail FROM audit_log WHERE id > $1 AND actor_id = $2 ORDER BY id"
    for ownership in ("own", "org"):
        before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
        documents = [await world.document(ownership, somebody) for _ in range(2)]
        await somebody.call("DocumentService/DeleteDocuments", {"selection": {"ids": documents}})
        detail = {"change": "delete", "connector_id": 0, "ids": documents, "documents": 2}
        expected = [("DocumentService/DeleteDocuments", "documents", detail)] if ownership == "org" else []
        assert [tuple(row) for row in await world.pool.fetch(recorded, before, somebody.user_id)] == expected
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    await somebody.call("DocumentService/RetryDocuments", {"selection": {"filter": {"query": name()}}})
    (entry,) = await world.pool.fetch(recorded, before, somebody.user_id)
    assert entry["detail"]["change"] == "retry"


async def test_superadmins_lists_of_others_documents_are_in_the_audit_log(world: World, new_user: NewUser) -> None:
    somebody = await new_user("superadmin", groups=("matrix",))
    recorded = "SELECT target, detail FROM audit_log WHERE id > $1 AND actor_id = $2 AND NOT denied ORDER BY id"
    for ownership in OWNERSHIPS:
        before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
        document = await world.document(ownership, somebody)
        connector = await world.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document)
        await somebody.call("DocumentService/ListDocuments", {"connectorId": connector})
        entries = await world.pool.fetch(recorded, before, somebody.user_id)
        if not ownership.startswith("foreign"):
            assert entries == []
            continue
        (entry,) = entries
        assert entry["target"] == f"connectors/{connector}"
        assert entry["detail"] == {"connectors": [connector], "users": [world.other.user_id]}
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    await somebody.call("DocumentService/ListDocuments", {})
    (entry,) = await world.pool.fetch(recorded, before, somebody.user_id)
    assert entry["target"] == "documents"


async def test_a_page_that_a_superadmin_leaves_open_does_not_fill_the_audit_log(world: World) -> None:
    """The same read is noted once a minute, what changes something each time."""
    somebody = world.people["superadmin"]
    session = await world.session("foreign", somebody)
    document = await world.document("foreign", somebody)
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    reads = [("ChatSessionService/GetChatSession", session), ("DocumentService/GetDocument", document)]
    for _ in range(3):
        for method, resource in [*reads, ("DocumentService/RetryDocument", document)]:
            await somebody.call(method, {"id": resource})
    recorded = "SELECT action FROM audit_log WHERE id > $1 AND actor_id = $2 AND NOT denied ORDER BY id"
    actions = [row["action"] for row in await world.pool.fetch(recorded, before, somebody.user_id)]
    assert sorted(actions) == sorted([method for method, _ in reads] + ["DocumentService/RetryDocument"] * 3)
    # A minute ago it was noted, too.
    other = await world.session("foreign", somebody)
    await world.pool.execute(
        "INSERT INTO audit_log (actor_id, action, target, detail, creation_date)"
        " VALUES ($1, 'ChatSessionService/GetChatSession', 'chat-sessions/' || $2::int,"
        " jsonb_build_object('chat_session_id', $2::int, 'user_id', $3::int), now() - interval '61 seconds')",
        somebody.user_id,
        other,
        world.other.user_id,
    )
    await somebody.call("ChatSessionService/GetChatSession", {"id": other})
    last = "SELECT count(*) FROM audit_log WHERE target = 'chat-sessions/' || $1::int"
    assert await world.pool.fetchval(last, other) == 2


async def test_a_superadmin_cancels_anybodys_run_and_it_is_in_the_audit_log(world: World) -> None:
    somebody = world.people["superadmin"]
    run = await world.run("foreign", somebody)
    session = await world.pool.fetchval("SELECT chat_session_id FROM runs WHERE id = $1", UUID(run))
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    cancelled = await somebody.call("RunService/CancelRun", {"id": run})
    assert cancelled["status"] == "RUN_STATUS_CANCELLED"
    (entry,) = await world.pool.fetch(
        "SELECT action, target, detail, denied FROM audit_log WHERE id > $1 AND actor_id = $2 AND NOT denied",
        before,
        somebody.user_id,
    )
    assert tuple(entry) == (
        "RunService/CancelRun",
        f"runs/{run}",
        {"user_id": world.other.user_id, "chat_session_id": session},
        False,
    )


async def test_administrative_writes_are_in_the_audit_log(world: World, owner: Client) -> None:
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    llm = {"name": name(), "provider": "LLM_PROVIDER_OPENAI", "modelId": "m", "apiKey": "sk-secret"}
    made = await owner.call("LlmService/CreateLlm", {"llm": llm})
    await owner.call("LlmService/DeleteLlm", {"id": made["id"]})
    entries = await world.pool.fetch("SELECT * FROM audit_log WHERE id > $1 AND NOT denied ORDER BY id", before)
    assert [(entry["actor_id"], entry["action"], entry["target"]) for entry in entries] == [
        (owner.user_id, "LlmService/CreateLlm", f"llms/{made['id']}"),
        (owner.user_id, "LlmService/DeleteLlm", f"llms/{made['id']}"),
    ]
    assert "sk-secret" not in str(entries)

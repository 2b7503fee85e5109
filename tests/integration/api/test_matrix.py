"""Who may do what: every method as every role against one's own, shared and foreign resources, over both transports.

The expectation is the table of docs/architecture.md, "Who may do what". A method that is new in the contract fails here
until it has its row.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.conversations import checkpoints
from echomind_lib.errors import EchoMindError
from tests.integration.api.client import METHODS, TRANSPORTS, Client, Transport, error_of, http_rule
from tests.integration.api.conftest import NewUser

OK, HIDDEN, FORBIDDEN = "OK", "NOT_FOUND", "PERMISSION_DENIED"
ROLES = ("user", "admin", "superadmin")
PLACES = ("own", "group", "org", "foreign", "foreign group")

Outcome = tuple[str, str, str]
"""For user, admin, superadmin."""
Table = dict[str, Outcome]
"""By the place of the resource."""

EVERYONE: Outcome = (OK, OK, OK)
NOBODY_ELSE: Outcome = (HIDDEN, HIDDEN, HIDDEN)
ADMINS: Outcome = (FORBIDDEN, OK, OK)
SUPERADMINS: Outcome = (FORBIDDEN, FORBIDDEN, OK)
SHARED: Table = {
    "own": EVERYONE,
    "group": EVERYONE,
    "org": EVERYONE,
    "foreign": (HIDDEN, HIDDEN, OK),
    "foreign group": (HIDDEN, HIDDEN, OK),
}
MANAGED: Table = SHARED | {"group": ADMINS, "org": SUPERADMINS}
PERSONAL: Table = {"own": EVERYONE, "foreign": NOBODY_ELSE}
SESSIONS_READ: Table = {"own": EVERYONE, "foreign": (HIDDEN, HIDDEN, OK)}
SESSIONS_WRITTEN: Table = {"own": EVERYONE, "foreign": (HIDDEN, HIDDEN, FORBIDDEN)}


@dataclass
class World:
    """Makes the resources that the methods are tried on."""

    pool: asyncpg.Pool
    people: dict[str, Client]
    other: Client

    async def connector(self, place: str, somebody: Client) -> int:
        """A file connector: the caller's own, their group's, everyone's, somebody else's, another group's."""
        scope, scope_id = {
            "group": ("group", "matrix"),
            "foreign group": ("group", "elsewhere"),
            "org": ("org", None),
        }.get(place, ("user", None))
        owner = somebody if place == "own" else self.other
        if scope == "user":  # there is one for each person
            found = await self.pool.fetchval(
                "SELECT id FROM connectors WHERE user_id = $1 AND scope = 'user' AND deleted_date IS NULL",
                owner.user_id,
            )
            if found is not None:
                return int(found)
        made: int = await self.pool.fetchval(
            "INSERT INTO connectors (name, type, user_id, scope, scope_id, status)"
            " VALUES ($1, 'file', $2, $3, $4, 'active') RETURNING id",
            uuid4().hex,
            owner.user_id,
            scope,
            scope_id,
        )
        return made

    async def document(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO documents (connector_id, source_id, signature) VALUES ($1, $2, 's') RETURNING id",
            await self.connector(place, somebody),
            uuid4().hex,
        )
        return made

    async def api_key(self, place: str, somebody: Client) -> int:
        owner = somebody if place == "own" else self.other
        made: int = await self.pool.fetchval(
            "INSERT INTO api_keys (user_id, name, prefix, sha256) VALUES ($1, $2, 'em_matrix', sha256('x'))"
            " RETURNING id",
            owner.user_id,
            uuid4().hex,
        )
        return made

    async def session(self, place: str, somebody: Client) -> int:
        owner = somebody if place == "own" else self.other
        made: int = await self.pool.fetchval(
            "INSERT INTO chat_sessions (user_id, assistant_id) SELECT $1, id FROM assistants WHERE is_default"
            " RETURNING id",
            owner.user_id,
        )
        # So that a stream of its events has a first one.
        await self.pool.execute(
            "INSERT INTO run_events (chat_session_id, kind, text) VALUES ($1, 'progress', 'x')", made
        )
        return made

    async def message(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO chat_messages (chat_session_id, role, content) VALUES ($1, 'assistant', 'x') RETURNING id",
            await self.session(place, somebody),
        )
        return made

    async def run(self, place: str, somebody: Client) -> str:
        owner = somebody if place == "own" else self.other
        made = await self.pool.fetchval(
            "INSERT INTO runs (user_id, chat_session_id, assistant_id, input)"
            " SELECT $1, $2, id, 'x' FROM assistants WHERE is_default RETURNING id",
            owner.user_id,
            await self.session(place, somebody),
        )
        return str(made)

    async def stepped_run(self, place: str, somebody: Client) -> str:
        """A paused run with a step."""
        made = await self.run(place, somebody)
        await self.pool.execute("UPDATE runs SET status = 'paused' WHERE id = $1", UUID(made))
        await self.pool.execute(
            "INSERT INTO steps (run_id, step_number, action, status, llm_input, llm_output)"
            " VALUES ($1, 1, 'call_tool', 'completed', '[{\"role\": \"user\", \"content\": \"x\"}]', '{}')",
            UUID(made),
        )
        return made

    async def answered(self, place: str, somebody: Client) -> int:
        """A question that has an answer."""
        session = await self.session(place, somebody)
        question: int = await self.pool.fetchval(
            "INSERT INTO chat_messages (chat_session_id, role, content) VALUES ($1, 'user', 'x') RETURNING id", session
        )
        await self.pool.execute(
            "INSERT INTO chat_messages (chat_session_id, role, parent_message_id) VALUES ($1, 'assistant', $2)",
            session,
            question,
        )
        return question

    async def checkpoint(self, place: str, somebody: Client) -> int:
        session = await self.session(place, somebody)
        made = await checkpoints.create(self.pool, session, "manual", "x")
        return made.checkpoint_id

    async def todo(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO todos (chat_session_id, title, order_index) VALUES ($1, 'x', 1) RETURNING id",
            await self.session(place, somebody),
        )
        return made

    async def user(self, place: str, somebody: Client) -> int:
        return somebody.user_id if place == "own" else self.other.user_id

    async def unneeded_user(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO users (user_name, email) VALUES ($1::text, $1::text || '@example.org') RETURNING id",
            uuid4().hex,
        )
        return made

    async def llm(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO llms (name, provider, model_id, endpoint) VALUES ($1, 'openai', 'm', 'http://127.0.0.1:1')"
            " RETURNING id",
            uuid4().hex,
        )
        return made

    async def assistant(self, place: str, somebody: Client) -> int:
        made: int = await self.pool.fetchval(
            "INSERT INTO assistants (name, is_visible) VALUES ($1, $2) RETURNING id", uuid4().hex, place != "hidden"
        )
        return made

    async def embedding_model(self, place: str, somebody: Client) -> int:
        found: int = await self.pool.fetchval("SELECT id FROM embedding_models")
        return found

    async def nothing(self, place: str, somebody: Client) -> int:
        return 0


Make = Callable[[World, str, Client], Awaitable[Any]]
Ask = Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """What a method is tried on, with which request, and what is expected."""

    make: Make
    ask: Ask
    expected: Table


def by_id(resource: Any) -> dict[str, Any]:
    return {"id": resource}


def first_step(run: Any) -> dict[str, Any]:
    return {"id": run, "stepNumber": 1}


def empty(_: Any) -> dict[str, Any]:
    return {}


def patch(field: str, mask: str, value: Any) -> Ask:
    return lambda resource: {"id": resource, field: {mask: value() if callable(value) else value}, "updateMask": mask}


def name() -> str:
    return uuid4().hex


ANYTHING = {"": EVERYONE}
MATRIX_PASSWORD = "a password of the matrix"
CONNECTOR = {"type": "CONNECTOR_TYPE_FILE"}
FILE = {"sourceId": "matrix.txt", "content": "eA=="}

TABLE: dict[str, Row] = {
    "ApiKeyService/ListApiKeys": Row(World.nothing, empty, ANYTHING),
    "ApiKeyService/CreateApiKey": Row(World.nothing, lambda _: {"name": name()}, ANYTHING),
    "ApiKeyService/DeleteApiKey": Row(World.api_key, by_id, PERSONAL),
    "AssistantService/ListAssistants": Row(World.nothing, empty, ANYTHING),
    "AssistantService/GetAssistant": Row(World.assistant, by_id, {"visible": EVERYONE, "hidden": (HIDDEN, HIDDEN, OK)}),
    "AssistantService/CreateAssistant": Row(
        World.nothing, lambda _: {"assistant": {"name": name()}}, {"": SUPERADMINS}
    ),
    "AssistantService/UpdateAssistant": Row(
        World.assistant, patch("assistant", "name", name), {"visible": SUPERADMINS}
    ),
    "AssistantService/ListAssistantTools": Row(
        World.assistant, by_id, {"visible": EVERYONE, "hidden": (HIDDEN, HIDDEN, OK)}
    ),
    "AssistantService/DeleteAssistant": Row(World.assistant, by_id, {"visible": SUPERADMINS}),
    "AuthService/GetSignInOptions": Row(World.nothing, empty, ANYTHING),
    "AuthService/CreateSignInLink": Row(
        World.user, lambda user: {"userId": user}, {"own": EVERYONE, "foreign": (HIDDEN, FORBIDDEN, OK)}
    ),
    "AuthService/SetPassword": Row(
        World.nothing, lambda _: {"password": MATRIX_PASSWORD, "currentPassword": MATRIX_PASSWORD}, ANYTHING
    ),
    "ChatMessageService/SendMessage": Row(
        World.session, lambda session: {"chatSessionId": str(session), "content": "x"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/StreamMessage": Row(
        World.session, lambda session: {"chatSessionId": str(session), "content": "x"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/EditMessage": Row(
        World.answered, lambda message: {"id": message, "content": "y"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/RegenerateMessage": Row(World.answered, by_id, SESSIONS_WRITTEN),
    "ChatMessageService/DiscardMessage": Row(
        World.message, lambda message: {"id": message, "discarded": True}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/ListMessages": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "ChatMessageService/GetMessage": Row(World.message, by_id, SESSIONS_READ),
    "ChatMessageService/ListCitations": Row(World.message, by_id, SESSIONS_READ),
    "ChatMessageService/SetFeedback": Row(
        World.message, lambda message: {"id": message, "feedback": {"isPositive": True}}, SESSIONS_WRITTEN
    ),
    "ChatSessionService/ListChatSessions": Row(World.nothing, empty, ANYTHING),
    "ChatSessionService/GetChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/CreateChatSession": Row(World.nothing, lambda _: {"chatSession": {}}, ANYTHING),
    "ChatSessionService/UpdateChatSession": Row(World.session, patch("chatSession", "title", name), SESSIONS_WRITTEN),
    "ChatSessionService/DeleteChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/PurgeChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/MoveHead": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ForkChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/CompressChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "CheckpointService/ListCheckpoints": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "CheckpointService/GetCheckpoint": Row(World.checkpoint, by_id, SESSIONS_READ),
    "CheckpointService/CreateCheckpoint": Row(
        World.session, lambda session: {"chatSessionId": session, "checkpoint": {"name": "x"}}, SESSIONS_WRITTEN
    ),
    "CheckpointService/RestoreCheckpoint": Row(World.checkpoint, by_id, SESSIONS_WRITTEN),
    "CheckpointService/DeleteCheckpoint": Row(World.checkpoint, by_id, SESSIONS_WRITTEN),
    "ConnectorService/ListConnectors": Row(World.nothing, empty, ANYTHING),
    "ConnectorService/GetConnector": Row(World.connector, by_id, SHARED),
    "ConnectorService/CreateConnector": Row(
        World.nothing,
        lambda _: {"connector": {"name": name(), "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"}},
        {"": SUPERADMINS},
    ),
    "ConnectorService/UpdateConnector": Row(World.connector, patch("connector", "name", name), MANAGED),
    "ConnectorService/DeleteConnector": Row(World.connector, by_id, MANAGED),
    "ConnectorService/ReconcileDocuments": Row(World.connector, by_id, MANAGED),
    "DocumentService/ListDocuments": Row(World.nothing, empty, ANYTHING),
    "DocumentService/GetDocument": Row(World.document, by_id, SHARED),
    "DocumentService/UploadDocument": Row(
        World.connector, lambda connector: {"connectorId": connector} | FILE, MANAGED
    ),
    "DocumentService/DeleteDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/PurgeDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/RetryDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/GetDocumentText": Row(World.document, by_id, SHARED),
    "DocumentService/ListDocumentChunks": Row(World.document, by_id, SHARED),
    "EmbeddingModelService/ListEmbeddingModels": Row(World.nothing, empty, ANYTHING),
    "EmbeddingModelService/GetEmbeddingModel": Row(World.embedding_model, by_id, ANYTHING),
    "LlmService/ListLlms": Row(World.nothing, empty, ANYTHING),
    "LlmService/GetLlm": Row(World.llm, by_id, ANYTHING),
    "LlmService/CreateLlm": Row(
        World.nothing,
        lambda _: {"llm": {"name": name(), "provider": "LLM_PROVIDER_OPENAI", "modelId": "m"}},
        {"": SUPERADMINS},
    ),
    "LlmService/UpdateLlm": Row(World.llm, patch("llm", "name", name), {"": SUPERADMINS}),
    "LlmService/DeleteLlm": Row(World.llm, by_id, {"": SUPERADMINS}),
    "LlmService/TestLlm": Row(World.llm, by_id, {"": SUPERADMINS}),
    "RunService/ListRuns": Row(World.nothing, empty, ANYTHING),
    "RunService/GetRun": Row(World.run, by_id, SESSIONS_READ),
    "RunService/ListSteps": Row(World.run, by_id, SESSIONS_READ),
    "RunService/CancelRun": Row(World.run, by_id, SESSIONS_READ),
    "RunService/PauseRun": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/ResumeRun": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/ProvideInput": Row(World.run, lambda run: {"id": run, "content": "x"}, SESSIONS_WRITTEN),
    "RunService/ApproveToolCall": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/GetRunTree": Row(World.run, by_id, SESSIONS_READ),
    "RunService/GetStepPrompt": Row(World.stepped_run, first_step, SESSIONS_WRITTEN),
    "RunService/DiscardStep": Row(World.stepped_run, first_step, SESSIONS_WRITTEN),
    "RunService/StreamSessionEvents": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "SearchService/Search": Row(World.nothing, lambda _: {"query": "x", "mode": "SEARCH_MODE_LEXICAL"}, ANYTHING),
    "TodoService/ListTodos": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "TodoService/GetTodo": Row(World.todo, by_id, SESSIONS_READ),
    "TodoService/CreateTodo": Row(
        World.session, lambda session: {"chatSessionId": session, "todo": {"title": "x"}}, SESSIONS_WRITTEN
    ),
    "TodoService/UpdateTodo": Row(World.todo, patch("todo", "title", name), SESSIONS_WRITTEN),
    "TodoService/DeleteTodo": Row(World.todo, by_id, SESSIONS_WRITTEN),
    "UserService/GetCurrentUser": Row(World.nothing, empty, ANYTHING),
    "UserService/UpdateCurrentUser": Row(
        World.nothing, lambda _: {"user": {"firstName": "A"}, "updateMask": "firstName"}, ANYTHING
    ),
    "UserService/ListUsers": Row(World.nothing, empty, {"": ADMINS}),
    "UserService/GetUser": Row(World.user, by_id, {"own": EVERYONE, "foreign": (HIDDEN, OK, OK)}),
    "UserService/CreateUser": Row(
        World.nothing, lambda _: {"user": {"userName": name(), "email": f"{name()}@example.org"}}, {"": SUPERADMINS}
    ),
    "UserService/UpdateUser": Row(
        World.user, patch("user", "firstName", name), {"own": SUPERADMINS, "foreign": SUPERADMINS}
    ),
    "UserService/PurgeUser": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def world(new_user: NewUser, pool: asyncpg.Pool) -> World:
    """Three people of one group, one for each role, and somebody else."""
    people = {role: await new_user(role, groups=("matrix",)) for role in ROLES}
    return World(pool, people, await new_user(groups=("elsewhere",)))


def test_every_method_has_its_row() -> None:
    assert TABLE.keys() == METHODS.keys()


def reachable(method: str, via: Transport) -> bool:
    return via == "grpc" or http_rule(METHODS[method]) is not None


async def outcome(call: Awaitable[Any]) -> str:
    """Whether a call was refused because of who calls; any other failure comes after that question."""
    try:
        await call
    except EchoMindError as error:
        return error.reason if error.reason in {HIDDEN, FORBIDDEN, "UNAUTHENTICATED"} else OK
    return OK


@pytest.mark.usefixtures("tool_listing")
@pytest.mark.parametrize("via", TRANSPORTS)
@pytest.mark.parametrize("method", METHODS)
async def test_who_may(world: World, method: str, via: Transport) -> None:
    if not reachable(method, via):
        pytest.skip("gRPC alone")
    row = TABLE[method]
    found, expected = {}, {}
    for place, outcomes in row.expected.items():
        for role, wanted in zip(ROLES, outcomes, strict=True):
            somebody = world.people[role]
            resource = await row.make(world, place, somebody)
            found[place, role] = await outcome(somebody.call(method, row.ask(resource), via))
            expected[place, role] = wanted
    assert found == expected


@pytest.mark.parametrize("via", TRANSPORTS)
@pytest.mark.parametrize("method", METHODS)
async def test_nothing_without_a_credential(world: World, anonymous: Client, method: str, via: Transport) -> None:
    if not reachable(method, via):
        pytest.skip("gRPC alone")
    row = TABLE[method]
    resource = await row.make(world, next(iter(row.expected)), world.people["user"])
    wanted = OK if method == "AuthService/GetSignInOptions" else "UNAUTHENTICATED"
    assert await outcome(anonymous.call(method, row.ask(resource), via)) == wanted


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


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", range(3))
async def test_who_may_move_bytes(world: World, place: str, number: int) -> None:
    somebody = world.people[ROLES[number]]
    connector = await world.connector(place, somebody)
    upload = by_hand(somebody, "POST", "/api/v1/documents:upload", data=form(connector_id=connector))
    assert await outcome(upload) == MANAGED[place][number]
    document = await world.document(place, somebody)
    download = by_hand(somebody, "GET", f"/api/v1/documents/{document}:download")
    # The document has no bytes: who may read it learns that, and who may not learns the same of the document.
    with pytest.raises(EchoMindError) as caught:
        await download
    assert caught.value.reason == HIDDEN
    assert (caught.value.metadata["resource"] == "object") == (SHARED[place][number] == OK)


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
    await gateway.parts.denials.flush()  # what other tests were refused
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    document = await world.document("foreign", somebody)
    run, todo = await world.run("foreign", somebody), await world.todo("foreign", somebody)
    checkpoint = await world.checkpoint("foreign", somebody)
    shared = await world.connector("org", somebody)
    await outcome(somebody.call("DocumentService/GetDocument", {"id": document}, via))
    for method, nowhere in (
        ("DocumentService/GetDocument", 2**63 - 1),
        ("AssistantService/GetAssistant", 2**31 - 1),
        ("RunService/GetRun", str(uuid4())),
    ):
        await outcome(somebody.call(method, {"id": nowhere}, via))
    await outcome(somebody.call("ChatMessageService/SendMessage", {"chatSessionId": "9999999999", "content": "x"}, via))
    await outcome(somebody.call("RunService/GetRun", {"id": run}, via))
    await outcome(somebody.call("TodoService/GetTodo", {"id": todo}, via))
    await outcome(somebody.call("CheckpointService/GetCheckpoint", {"id": checkpoint}, via))
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
        (somebody.user_id, "ConnectorService/DeleteConnector", f"connectors/{shared}", FORBIDDEN),
        (somebody.user_id, "UserService/ListUsers", "users", FORBIDDEN),
        (None, "UserService/ListUsers", "", "UNAUTHENTICATED"),
    ]


@pytest.mark.usefixtures("tool_listing")
@pytest.mark.parametrize("via", TRANSPORTS)
@pytest.mark.parametrize("method", METHODS)
async def test_every_denial_names_its_target(world: World, gateway: Any, method: str, via: Transport) -> None:
    row = TABLE[method]
    if not reachable(method, via):
        pytest.skip("gRPC alone")
    await gateway.parts.denials.flush()  # what other tests were refused
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    refused = 0
    for place, outcomes in row.expected.items():
        for role, wanted in zip(ROLES, outcomes, strict=True):
            if wanted != OK:
                somebody = world.people[role]
                resource = await row.make(world, place, somebody)
                refused += await outcome(somebody.call(method, row.ask(resource), via)) == wanted
    await gateway.parts.denials.flush()
    targets = await world.pool.fetch("SELECT target FROM audit_log WHERE id > $1 AND denied", before)
    assert len(targets) == refused
    assert all(entry["target"] for entry in targets)


FOREIGN_READS = ("GetDocument", "GetDocumentText", "ListDocumentChunks", "DownloadDocument", "RetryDocument")


@pytest.mark.parametrize("via", TRANSPORTS)
@pytest.mark.parametrize("method", FOREIGN_READS)
@pytest.mark.parametrize("place", PLACES)
async def test_superadmins_use_of_others_documents_is_in_the_audit_log(
    world: World, place: str, method: str, via: Transport
) -> None:
    """One row for each use of a document that was not shared with them, none for others."""
    somebody = world.people["superadmin"]
    document = await world.document(place, somebody)
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    if method == "DownloadDocument":
        await outcome(by_hand(somebody, "GET", f"/api/v1/documents/{document}:download"))
    else:
        await outcome(somebody.call(f"DocumentService/{method}", {"id": document}, via))
    entries = await world.pool.fetch(
        "SELECT actor_id, action, target, denied FROM audit_log WHERE id > $1 AND actor_id = $2 AND NOT denied",
        before,
        somebody.user_id,
    )
    noted = [(somebody.user_id, f"DocumentService/{method}", f"documents/{document}", False)]
    assert [tuple(entry) for entry in entries] == (noted if place.startswith("foreign") else [])


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_superadmins_lists_of_others_documents_are_in_the_audit_log(
    world: World, new_user: NewUser, via: Transport
) -> None:
    somebody = await new_user("superadmin", groups=("matrix",))
    noted = "SELECT target, detail FROM audit_log WHERE id > $1 AND actor_id = $2 AND NOT denied ORDER BY id"
    for place in PLACES:
        before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
        document = await world.document(place, somebody)
        connector = await world.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document)
        await somebody.call("DocumentService/ListDocuments", {"connectorId": connector}, via)
        entries = await world.pool.fetch(noted, before, somebody.user_id)
        if not place.startswith("foreign"):
            assert entries == []
            continue
        (entry,) = entries
        assert entry["target"] == f"connectors/{connector}"
        assert entry["detail"] == {"connectors": [connector], "users": [world.other.user_id]}
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    await somebody.call("DocumentService/ListDocuments", {}, via)
    (entry,) = await world.pool.fetch(noted, before, somebody.user_id)
    assert entry["target"] == "documents"


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_a_page_that_a_superadmin_leaves_open_does_not_fill_the_audit_log(world: World, via: Transport) -> None:
    """The same read is noted once a minute, what changes something each time."""
    somebody = world.people["superadmin"]
    session = await world.session("foreign", somebody)
    document = await world.document("foreign", somebody)
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    reads = [("ChatSessionService/GetChatSession", session), ("DocumentService/GetDocument", document)]
    for _ in range(3):
        for method, resource in [*reads, ("DocumentService/RetryDocument", document)]:
            await somebody.call(method, {"id": resource}, via)
    noted = "SELECT action FROM audit_log WHERE id > $1 AND actor_id = $2 AND NOT denied ORDER BY id"
    actions = [row["action"] for row in await world.pool.fetch(noted, before, somebody.user_id)]
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
    await somebody.call("ChatSessionService/GetChatSession", {"id": other}, via)
    last = "SELECT count(*) FROM audit_log WHERE target = 'chat-sessions/' || $1::int"
    assert await world.pool.fetchval(last, other) == 2


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_a_superadmin_cancels_anybodys_run_and_it_is_in_the_audit_log(world: World, via: Transport) -> None:
    somebody = world.people["superadmin"]
    run = await world.run("foreign", somebody)
    session = await world.pool.fetchval("SELECT chat_session_id FROM runs WHERE id = $1", UUID(run))
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    cancelled = await somebody.call("RunService/CancelRun", {"id": run}, via)
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


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_administrative_writes_are_in_the_audit_log(world: World, owner: Client, via: Transport) -> None:
    before = await world.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    llm = {"name": name(), "provider": "LLM_PROVIDER_OPENAI", "modelId": "m", "apiKey": "sk-secret"}
    made = await owner.call("LlmService/CreateLlm", {"llm": llm}, via)
    await owner.call("LlmService/DeleteLlm", {"id": made["id"]}, via)
    entries = await world.pool.fetch("SELECT * FROM audit_log WHERE id > $1 AND NOT denied ORDER BY id", before)
    assert [(entry["actor_id"], entry["action"], entry["target"]) for entry in entries] == [
        (owner.user_id, "LlmService/CreateLlm", f"llms/{made['id']}"),
        (owner.user_id, "LlmService/DeleteLlm", f"llms/{made['id']}"),
    ]
    assert "sk-secret" not in str(entries)

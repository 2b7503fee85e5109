"""A gateway in this process on real servers of its own, and people who use it."""

import gzip
import importlib
import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from zlib import crc32

import aiohttp
import asyncpg
import grpc
import pytest
import pytest_asyncio
from argon2 import PasswordHasher
from pydantic import SecretStr

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from echomind_agent.mcp import McpServers, Programs
from echomind_agent.mcp.states import McpServerStates
from echomind_agent.tools.listing import ToolListing
from echomind_agent.toolset.registry import Registry
from echomind_api.auth import passwords
from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway, serve
from echomind_lib.config import ApiSettings, PostgresSettings, Settings
from echomind_lib.config.settings import McpSettings
from echomind_lib.messaging import PROGRAMS_CHECK, TOOLS_LIST
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.connector_signer import Signer
from tests.drivers.fact_vectors import follow
from tests.drivers.gateway import EmbeddingProcess, NewUser, Process, forget_failed_credentials
from tests.drivers.person import Person
from tests.drivers.scim import ScimCaller, scim_caller
from tests.drivers.servers import StartServer, database_url
from tests.drivers.shared_state import unchanged
from tests.drivers.sign_in_provider import CLIENT_ID, CLIENT_SECRET, SignInProvider, sign_in_provider
from tests.factories.news import read_news
from tests.factories.permissions.rows import ROLES
from tests.factories.rows import new_worker
from tests.factories.settings import SCRIPT, service_settings
from tests.factories.world import World, name

__all__ = ["follow"]


@pytest.fixture(scope="session")
def api_settings(
    tmp_path_factory: pytest.TempPathFactory,
    start_server: StartServer,
    server_folder: Path,
    postgres_server: PostgresServer,
    s3_server: S3Server,
) -> Settings:
    """Settings of a gateway. NATS and Qdrant are its own, because other tests empty theirs."""
    folder = tmp_path_factory.mktemp("api")
    nats = NatsServer(server_folder / "api-nats", free_port(), secrets.token_urlsafe(16))
    qdrant = QdrantServer(server_folder / "api-qdrant", free_port(), secrets.token_urlsafe(16))
    start_server(nats)
    start_server(qdrant)
    web = folder / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html><title>The web UI</title>")
    script = web / "assets" / "main-abc123.js"
    script.write_text(SCRIPT)
    script.with_name("main-abc123.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    script.with_name("main-abc123.js.br").write_bytes(b"the script in brotli")
    (folder / "secret.txt").write_text("outside of the web UI's folder")
    return service_settings(
        "api",
        folder,
        postgres=postgres_server,
        nats=nats,
        qdrant=qdrant,
        s3=s3_server,
        mcp=McpSettings(programs="files-server, python3, /no/such/program"),
        api=ApiSettings(
            http_port=0,
            grpc_port=0,
            guide=False,
            web_dir=web,
            max_upload_bytes=1_000_000,
            cors_origins="https://chat.example.org",
        ),
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def gateway(api_settings: Settings, postgres_admin: asyncpg.Connection) -> AsyncIterator[Gateway]:
    """A gateway that serves."""
    await postgres_admin.execute(f"CREATE DATABASE test_api TEMPLATE {DATABASE}")
    async with serve(api_settings) as running:
        yield running
    await postgres_admin.execute("DROP DATABASE test_api WITH (FORCE)")


@pytest.fixture(scope="module", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hashes of passwords that cost little; what those of the product cost is tested in `tests/unit`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        patch.setattr(passwords, "_NOBODY", passwords._NOBODY.replace("m=65536,t=3,p=4", "m=8,t=1,p=1"))
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def guard(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Fails after a module that leaves the shared product changed."""
    async with unchanged(pool):
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def spare_gateway(
    api_settings: Settings,
    process: Process,
    postgres_server: PostgresServer,
    postgres_admin: asyncpg.Connection,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Gateway]:
    """A gateway with a database of its own, for modules that spare nothing. The embedding process runs, no agent."""
    await postgres_admin.execute(f"CREATE DATABASE test_spare TEMPLATE {DATABASE}")
    changes = {
        "postgres": PostgresSettings(url=SecretStr(database_url(postgres_server, "test_spare"))),
        "data_dir": tmp_path_factory.mktemp("spare"),
    }
    async with serve(api_settings.model_copy(update=changes)) as running:
        yield running
    await postgres_admin.execute("DROP DATABASE test_spare WITH (FORCE)")


@pytest.fixture(scope="module")
def spare_key(spare_gateway: Gateway) -> str:
    """The key of its owner."""
    return Path(spare_gateway.parts.dependencies.settings.data_dir, "owner-api-key").read_text().strip()


@pytest.fixture(autouse=True)
def fresh_limits(gateway: Gateway) -> None:
    """Forgets failed credentials of other tests, which come from the same address."""
    forget_failed_credentials(gateway)


@pytest.fixture(scope="session")
def pool(gateway: Gateway) -> asyncpg.Pool:
    """The gateway's own connections to its database."""
    return gateway.parts.dependencies.database.pool


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def anonymous(gateway: Gateway) -> AsyncIterator[Client]:
    """A client without credential."""
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        grpc.aio.insecure_channel(gateway.grpc_address) as channel,
    ):
        yield Client(gateway.http_url, channel, session)


@pytest.fixture(scope="session")
def owner(anonymous: Client, api_settings: Settings) -> Client:
    """The owner, with the key of the data folder."""
    key = Path(api_settings.data_dir, "owner-api-key").read_text().strip()
    return anonymous.as_(key, 1)


@pytest.fixture(scope="session")
def new_user(owner: Client, gateway: Gateway, anonymous: Client) -> NewUser:
    """Makes an account with a key: `await new_user("admin", groups=["sales"])`."""
    numbers = itertools.count()

    async def make(role: str = "user", groups: tuple[str, ...] = ()) -> Client:
        forget_failed_credentials(gateway)  # fixtures of the session sign in before `fresh_limits`
        name = f"{role}-{next(numbers)}"
        roles = {"user": [], "admin": ["ROLE_ADMIN"], "superadmin": ["ROLE_SUPERADMIN"]}[role]
        user = {"userName": name, "email": f"{name}@example.org", "roles": roles, "groups": list(groups)}
        made = await owner.call("UserService/CreateUser", {"user": user})
        link = await owner.call("AuthService/CreateSignInLink", {"userId": made["id"]})
        token = await gateway.parts.sessions.begin_by_link(link["path"].partition("=")[2], Browser("127.0.0.1"))
        # With the scope, so that the key has all permissions of its owner.
        new = {"name": "test", "scopes": ["API_KEY_SCOPE_ADMINISTER"]}
        key = await anonymous.browser(token).call("ApiKeyService/CreateApiKey", new, via="rest")
        return anonymous.as_(key["secret"], made["id"])

    return make


@pytest_asyncio.fixture
async def tool_listing(gateway: Gateway, api_settings: Settings) -> AsyncIterator[None]:
    """What an agent does when it is asked which tools an assistant has, and which programs it can start."""
    importlib.import_module("echomind_agent.mcp.tools")  # takes seconds where the machine is busy
    parts = gateway.parts.dependencies
    programs = Programs(api_settings.mcp, api_settings.data_dir)
    mcp = McpServers(parts.secrets, programs, states=McpServerStates(parts.database.pool))
    listing = ToolListing(parts.database.pool, Registry([read_news]), mcp)
    async with (
        await parts.bus.subscribe(TOOLS_LIST, listing.answer, "agents"),
        await parts.bus.subscribe(PROGRAMS_CHECK, programs.answer, "agents"),
    ):
        await parts.bus.flush()
        yield
    await mcp.close()


async def _nobody(document_id: int) -> None:
    """Wakes nobody: tests process the files within a document themselves."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def process(gateway: Gateway, api_settings: Settings, start_server: StartServer) -> AsyncIterator[Process]:
    """Processes a document as the ingestor does, with the embedding process beside."""
    from echomind_ingestor.extract import Extractor
    from echomind_ingestor.pipeline.members import Members
    from echomind_ingestor.pipeline.processing import Processor
    from echomind_lib.embeddings.tokenizer import minilm_tokenizer
    from echomind_lib.indexes import Indexes

    start_server(EmbeddingProcess(api_settings.embedding.url))
    parts = gateway.parts.dependencies
    async with Extractor(1) as extractor:
        processor = Processor(
            parts.database.pool,
            parts.objects,
            Indexes(parts.database.pool, parts.vectors),
            parts.embeddings,
            extractor,
            minilm_tokenizer,
            parts.disk,
            Members(parts.database.pool, parts.objects, _nobody),
        )
        worker_id = await new_worker(parts.database.pool)
        yield lambda document_id: processor.process(int(document_id), worker_id)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def inhabited(new_user: NewUser, pool: asyncpg.Pool) -> World:
    """Three people of one group, one for each role, and somebody else."""
    people = {role: await new_user(role, groups=("matrix",)) for role in ROLES}
    return World(pool, people, await new_user(groups=("elsewhere",)))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(inhabited: World, guard: None) -> AsyncIterator[World]:
    """The same world for all modules; what would apply to everybody ends with the module that made it."""
    yield inhabited
    await inhabited.tidy()


@pytest.fixture
def via(request: pytest.FixtureRequest) -> Transport:
    """The transport of a test: always the same for it, each for half of them.

    What the two share is tested in `tests/contract`. Tests of what they may do differently are parametrized by `via`.
    """
    return TRANSPORTS[crc32(request.node.name.encode()) % len(TRANSPORTS)]


@pytest_asyncio.fixture
async def person(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Person:
    """Somebody who talks with the gateway over the test's transport."""
    return Person(await new_user(), pool, via)


@pytest_asyncio.fixture(loop_scope="session")
async def scim(owner: Client) -> ScimCaller:
    """A client that maintains accounts by SCIM."""
    return await scim_caller(owner, f"c{name()}")


@pytest_asyncio.fixture
async def sharing(pool: asyncpg.Pool) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Sets who may open links; at the end whoever has one."""

    async def allow(word: str) -> None:
        await pool.execute("UPDATE installation_settings SET link_sharing = $1", word)

    yield allow
    await allow("anyone")


@pytest_asyncio.fixture(loop_scope="session")
async def sign_in_place(api_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SignInProvider]:
    async with sign_in_provider() as provider:
        for name, value in {
            "google_client_id": CLIENT_ID,
            "google_client_secret": SecretStr(CLIENT_SECRET),
            "google_accounts_url": provider.url,
            "google_token_url": f"{provider.url}/token",
            "google_revoke_url": f"{provider.url}/revoke",
            "microsoft_client_id": CLIENT_ID,
            "microsoft_client_secret": SecretStr(CLIENT_SECRET),
            "microsoft_login_url": provider.url,
        }.items():
            monkeypatch.setattr(api_settings.connectors, name, value)
        yield provider


@pytest_asyncio.fixture(loop_scope="session")
async def signer(
    gateway: Gateway,
    owner: Client,
    anonymous: Client,
    new_user: NewUser,
    sign_in_place: SignInProvider,
    pool: asyncpg.Pool,
) -> Signer:
    person = await new_user(groups=("signers",))
    signer = Signer(gateway, owner, anonymous, new_user, sign_in_place, pool, person, person)
    signer.page = await signer.browser(person)
    return signer

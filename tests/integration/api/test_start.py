"""Start and stop of the gateway."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import grpc
import pytest
from pydantic import SecretStr

from echomind.local.embedded.process import free_port
from echomind_api.auth.passwords import hash_password
from echomind_api.main import PortInUseError, serve
from echomind_api.start import guide
from echomind_api.start.seeds import MULTILINGUAL_NAME, Index, seed
from echomind_lib.config import ApiSettings, NatsSettings, PostgresSettings, QdrantSettings, S3Settings, Settings
from echomind_lib.db.database import Database
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.errors.grpc import from_rpc_error
from echomind_lib.pb.echomind.public.v1.run_service_pb2 import StreamSessionEventsRequest
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.retrieval import ENCODER_ID
from tests.drivers.client import Client


@pytest.fixture
def settings(
    tmp_path: Path, postgres_url: str, nats_url: str, qdrant_url: str, qdrant_api_key: str, s3_settings: S3Settings
) -> Settings:
    """Settings of a gateway on empty servers."""
    return Settings(
        postgres=PostgresSettings(url=SecretStr(postgres_url)),
        nats=NatsSettings(url=SecretStr(nats_url)),
        qdrant=QdrantSettings(url=qdrant_url, api_key=SecretStr(qdrant_api_key)),
        s3=s3_settings,
        api=ApiSettings(http_port=0, grpc_port=0, guide=False),
        data_dir=tmp_path / "data",
    )


@pytest.fixture
def pages(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A guide of two pages, which the gateways store."""
    settings.api.guide = True
    folder = tmp_path / "guide"
    folder.mkdir()
    (tmp_path / "readme.md").write_text("# No page of the guide\n")
    (folder / "first.md").write_text("# The first page\n\nText.\n")
    (folder / "second.md").write_text("# The second page\n\nText.\n")
    monkeypatch.setattr("echomind_api.main.guide_folder", lambda: folder)
    return folder


async def documents(database: Database) -> dict[str, str]:
    rows = await database.pool.fetch("SELECT source_id, title FROM documents WHERE deleted_date IS NULL")
    return {row["source_id"]: row["title"] for row in rows}


async def test_what_every_installation_begins_with_is_made_once(
    settings: Settings, database: Database, pages: Path
) -> None:
    tables = ("users", "llms", "embedding_models", "assistants", "connectors", "documents", "api_keys")
    key_file = settings.data_dir / "owner-api-key"
    counts, keys, links = [], [], []
    for _ in range(2):
        async with serve(settings):
            counts.append([await database.pool.fetchval(f"SELECT count(*) FROM {table}") for table in tables])
            keys.append(key_file.read_text())
            links.append((settings.data_dir / "run" / "sign-in-link").read_text())
    assert counts[0] == counts[1] == [1, 1, 2, 1, 1, 2, 1]
    assert keys[0] == keys[1]
    assert links[0] != links[1]
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert (settings.data_dir / "secret-keys").stat().st_mode & 0o777 == 0o600
    assert await documents(database) == {"first.md": "The first page", "second.md": "The second page"}
    assert await database.pool.fetchval("SELECT (name, scope) FROM connectors") == (guide.CONNECTOR_NAME, "org")


async def test_several_replicas_begin_at_once(database: Database) -> None:
    owners = await asyncio.gather(*(seed(database) for _ in range(5)))
    assert len({owner.user_id for owner in owners}) == 1
    for table, count in {"users": 1, "llms": 1, "embedding_models": 2, "assistants": 1}.items():
        assert await database.pool.fetchval(f"SELECT count(*) FROM {table}") == count


async def test_another_encoder_of_words_comes_as_an_index_beside(database: Database) -> None:
    """An index keeps the encoder that it was built with; models without an index get that of this version."""

    async def models() -> list[tuple[str, str, bool]]:
        rows = await database.pool.fetch(
            "SELECT model_name, sparse_encoder, is_active FROM embedding_models WHERE deleted_date IS NULL ORDER BY id"
        )
        return [tuple(row) for row in rows]

    await seed(database, Index(sparse_encoder="earlier"))
    await seed(database)
    minilm, multilingual = Index().model_name, MULTILINGUAL_NAME
    beside = (f"{minilm}, {ENCODER_ID}", ENCODER_ID, False)
    expected = [(minilm, "earlier", True), (multilingual, ENCODER_ID, False), beside]
    assert await models() == expected
    await seed(database)
    assert await models() == expected
    # Once the index of before is no longer kept, its row is not needed any more.
    await database.pool.execute("UPDATE embedding_models SET is_active = FALSE WHERE sparse_encoder = 'earlier'")
    await database.pool.execute("UPDATE embedding_models SET is_active = TRUE WHERE model_name = $1", beside[0])
    await seed(database)
    assert await models() == [expected[1], (beside[0], ENCODER_ID, True)]


async def test_an_invalid_key_file_is_rewritten(settings: Settings, database: Database) -> None:
    key_file = settings.data_dir / "owner-api-key"
    key_file.parent.mkdir(parents=True)
    for wrong in ("", "em_" + "A" * 43, "nonsense\nof two lines"):
        key_file.write_text(wrong)
        async with serve(settings) as gateway:
            key = key_file.read_text().strip()
            headers = {"Authorization": f"Bearer {key}"}
            session = aiohttp.ClientSession(gateway.http_url, headers=headers)
            async with session, session.get("/api/v1/users/me") as response:
                assert (await response.json())["userName"] == "owner"
    assert await database.pool.fetchval("SELECT count(*) FROM api_keys WHERE NOT revoked") == 1


async def test_without_a_superadmin_the_start_names_the_way_in(database: Database) -> None:
    await seed(database)
    await database.pool.execute("UPDATE users SET roles = '{user}'")
    with pytest.raises(RuntimeError, match="echomind users recover NAME --superadmin"):
        await seed(database)


async def test_the_guide_follows_its_files(settings: Settings, database: Database, pages: Path) -> None:
    async with serve(settings):
        await database.pool.execute("UPDATE documents SET deleted_date = now() WHERE source_id = 'second.md'")
    async with serve(settings):
        assert await documents(database) == {"first.md": "The first page"}
    (pages / "first.md").unlink()
    (pages / "second.md").write_text("# The second page, changed\n")
    (pages / "third.md").write_text("No heading\n")
    (pages.parent / "settings.md").write_text("# Settings\n")
    changed = {"second.md": "The second page, changed", "third.md": "third.md", "settings.md": "Settings"}
    async with serve(settings):
        assert await documents(database) == changed
        await database.pool.execute("UPDATE connectors SET deleted_date = now()")
    (pages / "fourth.md").write_text("# Fourth\n")
    async with serve(settings):
        assert await database.pool.fetchval("SELECT count(*) FROM connectors") == 1
        assert "fourth.md" not in await documents(database)


async def test_other_machines_are_let_in_only_with_a_password(settings: Settings, database: Database) -> None:
    everywhere = settings.model_copy(update={"api": settings.api.model_copy(update={"host": "0.0.0.0"})})
    with pytest.raises(RuntimeError, match="password"):
        async with serve(everywhere):
            pass
    owner = await seed(database)
    await database.pool.execute(
        "INSERT INTO credentials (user_id, password_hash) VALUES ($1, $2)",
        owner.user_id,
        await hash_password("a long enough password"),
    )
    async with serve(everywhere) as gateway:
        assert gateway.http_url.startswith("http://0.0.0.0:")


async def test_a_container_begins_with_a_password_and_without_files(settings: Settings, database: Database) -> None:
    api = settings.api.model_copy(
        update={
            "host": "0.0.0.0",
            "owner_password": SecretStr("correct horse battery"),
            "owner_files": False,
            "health_port": free_port(),
        }
    )
    given = settings.model_copy(update={"api": api})
    async with serve(given) as gateway, aiohttp.ClientSession() as http:
        port = gateway.http_url.rpartition(":")[2]
        body = {"userName": "owner", "password": "correct horse battery"}
        async with http.post(f"http://127.0.0.1:{port}/auth/sign-in", json=body) as signed_in:
            assert signed_in.status == 204, await signed_in.text()
        async with http.get(f"http://127.0.0.1:{api.health_port}/metrics") as metrics:
            text = await metrics.text()
        async with http.get(f"http://127.0.0.1:{api.health_port}/readyz") as ready:
            # Without the other servers a gateway answers what it can, so that it must stay reachable.
            assert (await ready.json()) == {"ready": True, "dependencies": {"postgres": "ok"}}
    assert "echomind_runs_queued 0.0" in text
    assert "echomind_documents_pending" in text
    assert not (settings.data_dir / "owner-api-key").exists()
    assert await database.pool.fetchval("SELECT count(*) FROM api_keys") == 0
    # Another value later changes nothing.
    changed = given.model_copy(update={"api": api.model_copy(update={"owner_password": SecretStr("x" * 12)})})
    stored = await database.pool.fetchval("SELECT password_hash FROM credentials")
    async with serve(changed):
        assert await database.pool.fetchval("SELECT password_hash FROM credentials") == stored


async def test_a_short_password_of_the_owner_is_refused(settings: Settings) -> None:
    api = settings.api.model_copy(update={"owner_password": SecretStr("short")})
    with pytest.raises(ValueError, match="fewer than 12 characters"):
        async with serve(settings.model_copy(update={"api": api})):
            pass


@pytest.mark.parametrize("field", ["http_port", "grpc_port"])
async def test_a_port_in_use_is_named(settings: Settings, field: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        api = settings.api.model_copy(update={field: port})
        with pytest.raises(PortInUseError, match=rf"127\.0\.0\.1:{port}.*ECHOMIND_API__{field.upper()}"):
            async with serve(settings.model_copy(update={"api": api})):
                pass


async def test_streams_are_ended_with_a_reason_when_the_gateway_stops(settings: Settings) -> None:
    running = AsyncExitStack()
    gateway = await running.enter_async_context(serve(settings))
    key = (settings.data_dir / "owner-api-key").read_text().strip()
    async with aiohttp.ClientSession() as session, grpc.aio.insecure_channel(gateway.grpc_address) as channel:
        owner = Client(gateway.http_url, channel, session, key)
        made = await owner.call("ChatSessionService/CreateChatSession", {"chatSession": {}})
        url = f"{gateway.http_url}/api/v1/chat-sessions/{made['id']}/events"
        over_http = await session.get(url, headers={"Authorization": f"Bearer {key}"})
        watch = channel.unary_stream(
            "/echomind.public.v1.RunService/StreamSessionEvents",
            StreamSessionEventsRequest.SerializeToString,
            SessionEvent.FromString,
        )
        request = StreamSessionEventsRequest(chat_session_id=made["id"])
        over_grpc = watch(request, metadata=(("authorization", f"Bearer {key}"),))
        await over_grpc.initial_metadata()
        reading = asyncio.create_task(over_http.read())
        await asyncio.wait_for(running.aclose(), 60)  # 2 at most for each transport, where the machine is not busy
        text = (await reading).decode()
        assert "event: error" in text
        assert "DEPENDENCY_UNAVAILABLE" in text
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await over_grpc.read()
        assert isinstance(from_rpc_error(caught.value), DependencyUnavailableError)


def environment(settings: Settings, **api: object) -> dict[str, str]:
    key = settings.qdrant.api_key
    assert key is not None
    values = {
        "POSTGRES__URL": settings.postgres.url.get_secret_value(),
        "NATS__URL": settings.nats.url.get_secret_value(),
        "QDRANT__URL": settings.qdrant.url,
        "QDRANT__API_KEY": key.get_secret_value(),
        "S3__ENDPOINT": settings.s3.endpoint,
        "S3__ACCESS_KEY": settings.s3.access_key,
        "S3__SECRET_KEY": settings.s3.secret_key.get_secret_value(),
        "S3__BUCKET": settings.s3.bucket,
        "DATA_DIR": str(settings.data_dir),
        **{f"API__{name.upper()}": str(value) for name, value in api.items()},
    }
    return os.environ | {f"ECHOMIND_{name}": value for name, value in values.items()}


async def start(settings: Settings, **api: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from echomind_api.main import main; main()",
        env=environment(settings, **api),
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_process_stops_when_it_is_asked_to(settings: Settings, number: signal.Signals) -> None:
    port = free_port()
    process = await start(settings, http_port=port, grpc_port=0)
    assert process.stderr is not None
    async for line in process.stderr:
        if b"the gateway serves" in line:
            break
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session, session.get("/healthz") as response:
        assert response.status == 200
    process.send_signal(number)
    _, rest = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, rest.decode()
    assert b"Traceback" not in rest


async def test_a_failed_start_prints_its_reason_and_exits_with_1(settings: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = await start(settings, http_port=taken.getsockname()[1], grpc_port=0)
        _, text = await process.communicate()
    assert process.returncode == 1
    assert b"ECHOMIND_API__HTTP_PORT" in text
    assert b"Traceback" not in text

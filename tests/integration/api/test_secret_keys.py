"""Rotation of the keys that encrypt stored secrets, and where secrets must not be found: everywhere else."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.administration import secret_keys
from echomind_api.main import Gateway
from echomind_lib import encrypted_columns
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.encrypted_columns import ENCRYPTED, encrypt_page
from echomind_lib.errors import DependencyUnavailableError, EchoMindError, ValidationFailedError
from echomind_lib.secret_key_file import read_keys, write_keys
from echomind_lib.secrets import Secrets
from tests.drivers.client import Client
from tests.drivers.embedding_server import embedding_double
from tests.drivers.leftovers import tables_with
from tests.drivers.mcp import until
from tests.drivers.rerank_server import rerank_double
from tests.factories import rows
from tests.factories.world import name

REGISTERED = {each.name for group in ENCRYPTED for each in group}


@pytest_asyncio.fixture(loop_scope="session")
async def secrets(gateway: Gateway) -> AsyncIterator[Secrets]:
    """The secrets of the gateway, whose keys only grow while others use it."""
    secrets = gateway.parts.dependencies.secrets
    yield secrets
    assert secrets.file is not None
    os.utime(secrets.file)


class Planted:
    """A distinct secret in every encrypted column, two in those of JSON."""

    def __init__(self, pool: asyncpg.Pool, secrets: Secrets) -> None:
        self._pool, self._secrets = pool, secrets
        self.places: list[tuple[str, str, list[Any], str]] = []
        """Column, where it is, and the secret."""

    def new(self, column: str) -> str:
        return self._secrets.encrypt(f"planted-{column}-{uuid4().hex}")

    async def plant(self, user_id: int) -> None:
        pool, new = self._pool, self.new
        llm = await rows.llm(pool, api_key=new("llms.api_key"), name=name())
        model = await rows.embedding_model(pool, api_key=new("embedding_models.api_key"))
        reranker = await rows.reranker(pool, api_key=new("rerankers.api_key"), name=name())
        webhook = await rows.webhook(
            pool,
            user_id=user_id,
            encrypted_secret=new("webhooks.encrypted_secret"),
            encrypted_previous_secret=new("webhooks.encrypted_previous_secret"),
        )
        credentials = new("connectors.encrypted_credentials")
        connector = await rows.connector(pool, user_id=user_id, name=name(), encrypted_credentials=credentials)
        provider = await rows.identity_provider(
            pool, encrypted_client_secret=new("identity_providers.encrypted_client_secret")
        )
        server = {"name": "s", "env": {"A": new("assistants.config")}, "headers": {"B": new("assistants.config")}}
        config = {"maxSteps": 3, "mcpServers": [server]}
        assistant = await rows.assistant(pool, name=name(), config=config)
        await rows.assistant_version(
            pool, assistant_id=assistant["id"], version=1, config={"name": "x", "config": config}
        )
        web_session = await rows.web_session(pool, user_id=user_id)
        signing_in = {
            "state_hash": os.urandom(32),
            "redirect_uri": "x",
            "expires_at": provider["creation_date"],
        }
        attempt = await rows.insert(
            pool,
            "sign_in_attempts",
            signing_in
            | {
                "provider": "x",
                "browser_hash": os.urandom(32),
                "nonce": "x",
                "return_path": "/",
                "encrypted_verifier": new("sign_in_attempts.encrypted_verifier"),
            },
        )
        sign_in = await rows.insert(
            pool,
            "connector_sign_ins",
            signing_in
            | {
                "connector_id": connector["id"],
                "web_session_id": web_session["id"],
                "encrypted_verifier": new("connector_sign_ins.encrypted_verifier"),
            },
        )
        self._web_session = web_session["id"]
        self.rows = {
            "llms.api_key": llm["id"],
            "embedding_models.api_key": model["id"],
            "rerankers.api_key": reranker["id"],
            "webhooks.encrypted_secret": webhook["id"],
            "webhooks.encrypted_previous_secret": webhook["id"],
            "connectors.encrypted_credentials": connector["id"],
            "identity_providers.encrypted_client_secret": provider["id"],
            "assistants.config": assistant["id"],
            "assistant_versions.config": assistant["id"],
            "sign_in_attempts.encrypted_verifier": attempt["id"],
            "connector_sign_ins.encrypted_verifier": sign_in["id"],
        }
        assert self.rows.keys() == REGISTERED, "plant a secret in each registered column"

    async def read(self) -> dict[str, list[str]]:
        """Returns the tokens by column."""
        found = {}
        for column, row_id in self.rows.items():
            table, _, field = column.partition(".")
            key = "assistant_id" if table == "assistant_versions" else "id"
            value = await self._pool.fetchval(f"SELECT {field} FROM {table} WHERE {key} = $1", row_id)
            if not isinstance(value, str):
                (server,) = (value.get("config") or value)["mcpServers"]
                found[column] = [server["env"]["A"], server["headers"]["B"]]
            else:
                found[column] = [value]
        return found

    async def remove(self) -> None:
        for column, row_id in reversed(self.rows.items()):
            table = column.partition(".")[0]
            if table != "assistant_versions":
                await self._pool.execute(f"DELETE FROM {table} WHERE id = $1", row_id)
        await self._pool.execute("DELETE FROM web_sessions WHERE id = $1", self._web_session)


@pytest_asyncio.fixture(loop_scope="session")
async def planted(pool: asyncpg.Pool, owner: Client, secrets: Secrets) -> AsyncIterator[Planted]:
    planted = Planted(pool, secrets)
    await planted.plant(owner.user_id)
    yield planted
    await planted.remove()


def plain(tokens: dict[str, list[str]], secrets: Secrets) -> dict[str, list[str]]:
    return {column: [secrets.decrypt(token) for token in found] for column, found in tokens.items()}


async def reencrypt(owner: Client) -> int:
    """Encrypts to the end and returns how many secrets changed."""
    count = 0
    while True:
        step = await owner.call("SecretKeyService/ReencryptSecrets", {})
        count += int(step.get("reencryptedCount", 0))
        if step.get("isComplete"):
            return count


async def test_a_rotation_survives_a_death_at_every_page_and_a_late_writer(
    owner: Client, pool: asyncpg.Pool, planted: Planted, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert secrets.file is not None
    await reencrypt(owner)
    # Another service, which has read the keys before.
    service = Secrets(read_keys(secrets.file), secrets.file)
    before = await planted.read()
    expected = plain(before, secrets)
    (old, *_) = secrets.key_ids
    late = Secrets(read_keys(secrets.file)).encrypt("late")
    created = await owner.call("SecretKeyService/CreateSecretKey", {})
    assert secrets.key_ids[:2] == [created["id"], old]
    assert plain(before, service) == expected

    original, pages, dies_at = encrypt_page, 0, 0

    async def dying(*given: Any) -> Any:
        nonlocal pages
        done = await original(*given)
        pages += 1
        if pages == dies_at:
            raise ConnectionResetError  # before the commit
        return done

    monkeypatch.setattr(secret_keys, "encrypt_page", dying)
    while True:
        dies_at, pages = dies_at + 1, 0
        try:
            step = await owner.call("SecretKeyService/ReencryptSecrets", {})
        except EchoMindError:
            assert plain(await planted.read(), service) == expected
        else:
            assert step["isComplete"]
            break
    monkeypatch.undo()
    assert dies_at > len(ENCRYPTED)
    after = await planted.read()
    assert plain(after, service) == expected == plain(after, secrets)
    assert {secrets.key_of(token) for found in after.values() for token in found} == {created["id"]}
    assert after["assistants.config"] == after["assistant_versions.config"]
    assert service.key_ids[0] == created["id"]  # it has read the file again

    await pool.execute("UPDATE llms SET api_key = $2 WHERE id = $1", planted.rows["llms.api_key"], late)
    os.utime(secrets.file, (time.time() - 3600,) * 2)
    removed = (await owner.call("SecretKeyService/RetireSecretKeys", {})).get("secretKeys", [])
    assert old not in {key["id"] for key in removed}
    assert await reencrypt(owner) == 1
    os.utime(secrets.file)  # it was written only if other keys were removed
    assert "secretKeys" not in await owner.call("SecretKeyService/RetireSecretKeys", {})  # the file has just changed
    os.utime(secrets.file, (time.time() - 3600,) * 2)
    removed = (await owner.call("SecretKeyService/RetireSecretKeys", {})).get("secretKeys", [])
    assert old in {key["id"] for key in removed}
    assert secrets.decrypt((await planted.read())["llms.api_key"][0]) == "late"
    listed = await owner.call("SecretKeyService/ListSecretKeys", {})
    assert listed["source"] == "SECRET_KEY_SOURCE_FILE"
    assert [key["id"] for key in listed["secretKeys"]] == [created["id"]]
    assert listed["secretKeys"][0]["isPrimary"]
    assert listed["secretKeys"][0]["secretCount"] >= sum(map(len, after.values()))


@pytest.mark.parametrize("kind", ["reranker", "embedding model"])
async def test_a_key_retired_while_a_model_is_tested_loses_nothing(
    owner: Client, pool: asyncpg.Pool, secrets: Secrets, kind: str
) -> None:
    """A server that loads its model first answers after minutes, in which keys are rotated and retired."""
    await reencrypt(owner)
    given = {"modelId": "m", "apiKey": "kept"}
    async with AsyncExitStack() as stack:
        if kind == "reranker":
            ranks = await stack.enter_async_context(rerank_double("jina"))
            requests, proceed = ranks.requests, ranks.hangs.set
            ranks.is_slow = True
            made = {"name": name(), "protocol": "RERANK_PROTOCOL_JINA", "endpoint": ranks.url, "isActive": True}
            call = owner.call("RerankerService/CreateReranker", {"reranker": given | made})
        else:
            embeds = await stack.enter_async_context(embedding_double(MiniLm()))
            requests, proceed = embeds.requests, embeds.one_at_a_time.release
            await embeds.one_at_a_time.acquire()
            made = {"modelName": name(), "protocol": "EMBEDDING_PROTOCOL_OPENAI", "endpoint": embeds.url}
            call = owner.call("EmbeddingModelService/CreateEmbeddingModel", {"embeddingModel": given | made})
        storing = asyncio.create_task(call)
        await until(lambda: bool(requests))
        old = secrets.key_ids[0]
        await owner.call("SecretKeyService/CreateSecretKey", {})
        await reencrypt(owner)
        assert secrets.file is not None
        os.utime(secrets.file, (time.time() - 3600,) * 2)
        retired = (await owner.call("SecretKeyService/RetireSecretKeys", {}))["secretKeys"]
        assert old in {key["id"] for key in retired}
        proceed()
        stored = await storing
    table = kind.replace(" ", "_") + "s"
    token = await pool.fetchval(f"DELETE FROM {table} WHERE id = $1 RETURNING api_key", stored["id"])
    assert secrets.decrypt(token) == "kept"


async def test_each_call_goes_on_where_the_last_one_stopped(
    owner: Client, planted: Planted, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that have time for one row each."""
    created = await owner.call("SecretKeyService/CreateSecretKey", {})
    monkeypatch.setattr(encrypted_columns, "_PAGE", 1)
    monkeypatch.setattr(secret_keys, "_CALL_SECONDS", 0.0)
    async with asyncio.timeout(60):
        assert await reencrypt(owner) >= len(ENCRYPTED)
    found = await planted.read()
    assert {secrets.key_of(token) for tokens in found.values() for token in tokens} == {created["id"]}
    # What stopped long ago begins again.
    monkeypatch.setattr(secret_keys, "_PAUSE_SECONDS", 0.0)
    pages: list[Any] = []

    async def first_pages(session: Any, group: Any, after: Any, replace: Any) -> Any:
        pages.append((group, after))
        return await encrypt_page(session, group, after, replace)

    monkeypatch.setattr(secret_keys, "encrypt_page", first_pages)
    for _ in range(2):
        await owner.call("SecretKeyService/ReencryptSecrets", {})
    assert pages == [(ENCRYPTED[0], None)] * 2
    monkeypatch.undo()
    await reencrypt(owner)


async def test_no_key_is_made_during_a_backup_nor_for_keys_of_the_environment(
    owner: Client, pool: asyncpg.Pool, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pool.acquire() as connection:
        await connection.fetchval("SELECT pg_advisory_lock($1)", 0x6563_6270)
        try:
            with pytest.raises(DependencyUnavailableError, match="backup is being made"):
                await owner.call("SecretKeyService/CreateSecretKey", {})
        finally:
            await connection.fetchval("SELECT pg_advisory_unlock($1)", 0x6563_6270)
    monkeypatch.setattr(secrets, "_file", None)
    listed = await owner.call("SecretKeyService/ListSecretKeys", {})
    assert listed["source"] == "SECRET_KEY_SOURCE_ENVIRONMENT"
    for method in ("CreateSecretKey", "RetireSecretKeys"):
        with pytest.raises(ValidationFailedError, match="ECHOMIND_SECRETS__KEYS"):
            await owner.call(f"SecretKeyService/{method}", {})


async def test_a_secret_of_a_lost_key_is_counted_and_left_alone(
    owner: Client, planted: Planted, pool: asyncpg.Pool
) -> None:
    lost = Secrets(["A" * 43 + "="]).encrypt("x")
    await pool.execute("UPDATE llms SET api_key = $2 WHERE id = $1", planted.rows["llms.api_key"], lost)
    await reencrypt(owner)
    listed = await owner.call("SecretKeyService/ListSecretKeys", {})
    assert listed["unreadableCount"] >= 1
    assert (await planted.read())["llms.api_key"] == [lost]


async def test_planted_secrets_are_found_nowhere(
    owner: Client, pool: asyncpg.Pool, secrets: Secrets, capfd: pytest.CaptureFixture[str]
) -> None:
    """Through the front door: stored, listed, changed, refused and rotated, and then looked for."""
    fields = ("llm", "moved", "header", "env", "provider", "password")
    hidden = {field: f"zq-{field}-{uuid4().hex}" for field in fields}
    seen: list[Any] = []

    async def call(method: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            seen.append(answer := await owner.call(method, request))
        except EchoMindError as error:
            seen.append([str(error), error.metadata])
            return {}
        return answer

    llm = await call(
        "LlmService/CreateLlm",
        {
            "llm": {
                "name": name(),
                "provider": "LLM_PROVIDER_VLLM",
                "modelId": "m",
                "endpoint": "http://127.0.0.1:9/v1",
                "apiKey": hidden["llm"],
            }
        },
    )
    await call("LlmService/TestLlm", {"id": llm.get("id", 1)})
    moved = {"endpoint": "http://169.254.169.254/v1", "apiKey": hidden["moved"]}
    await call("LlmService/UpdateLlm", {"id": llm.get("id", 1), "llm": moved, "updateMask": "endpoint,apiKey"})
    server = {
        "name": "wiki",
        "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
        "url": "http://127.0.0.1:9/mcp",
        "headers": {"Authorization": hidden["header"]},
    }
    assistant = await call(
        "AssistantService/CreateAssistant", {"assistant": {"name": name(), "config": {"mcpServers": [server]}}}
    )
    refused = server | {"name": "bad", "url": "file:///x", "env": {"KEY": hidden["env"]}}
    await call("AssistantService/CreateAssistant", {"assistant": {"name": name(), "config": {"mcpServers": [refused]}}})
    provider = {"name": f"p{name()}", "title": "x", "issuer": "http://127.0.0.1:9", "clientId": "c"}
    await call(
        "IdentityProviderService/CreateIdentityProvider",
        {"identityProvider": provider | {"clientSecret": hidden["provider"]}},
    )
    await call("AuthService/SetPassword", {"password": hidden["password"], "currentPassword": "x"})
    for method in (
        "LlmService/ListLlms",
        "AssistantService/ListAssistants",
        "IdentityProviderService/ListIdentityProviders",
    ):
        await call(method, {})
    await call("SecretKeyService/CreateSecretKey", {})
    await reencrypt(owner)
    await call("SecretKeyService/ListSecretKeys", {})
    keys = read_keys(secrets.file) if secrets.file else []
    assert llm
    assert assistant
    texts = {"answers": json.dumps(seen, default=str), "log": "".join(capfd.readouterr())}
    for what, secret in [*hidden.items(), *(("key", key) for key in keys)]:
        assert await tables_with(pool, secret) == set(), what
        assert [source for source, text in texts.items() if secret in text] == [], what


def test_a_key_file_is_replaced_as_a_whole(tmp_path: Any) -> None:
    file = tmp_path / "secret-keys"
    write_keys(file, ["a", "b"])
    write_keys(file, ["c", "a", "b"])
    assert read_keys(file) == ["c", "a", "b"]
    assert [path.name for path in tmp_path.iterdir()] == ["secret-keys"]
    assert file.stat().st_mode & 0o777 == 0o600

"""Embedding models of servers through the API: tested before they are stored, keys that stay, and removal."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.errors import (
    EmbeddingModelStateError,
    EndpointRefusedError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.embedding_server import EmbeddingDouble, embedding_double
from tests.drivers.gateway import NewUser

KEY = "sk-this-must-not-be-seen-anywhere"
SERVICE = "EmbeddingModelService"


@pytest.fixture(scope="module")
def minilm() -> MiniLm:
    return MiniLm()


@pytest_asyncio.fixture(loop_scope="session")
async def double(minilm: MiniLm, pool: asyncpg.Pool) -> AsyncIterator[EmbeddingDouble]:
    """The server; its models are not left behind."""
    async with embedding_double(minilm) as running:
        running.api_key = KEY
        yield running
    await pool.execute("DELETE FROM embedding_models WHERE endpoint IS NOT NULL")


def model(double: EmbeddingDouble, **fields: Any) -> dict[str, Any]:
    given = {
        "modelName": "Acme embeddings",
        "modelId": "acme/embed",
        "protocol": "EMBEDDING_PROTOCOL_OPENAI",
        "endpoint": double.url,
        "apiKey": KEY,
    }
    return {"embeddingModel": given | fields}


async def test_a_model_is_tested_stored_changed_and_removed(
    owner: Client, new_user: NewUser, double: EmbeddingDouble, via: Transport, pool: asyncpg.Pool
) -> None:
    made = await owner.call(f"{SERVICE}/CreateEmbeddingModel", model(double, queryPrefix="query: "), via)
    assert (made["modelDimension"], made["languages"], made["hasApiKey"]) == (384, ["en"], True)
    assert (made["status"], made["endpoint"]) == ("EMBEDDING_MODEL_STATUS_IDLE", double.url)
    assert double.texts[0].startswith("query: ")
    named = {"id": made["id"]}
    tested = await owner.call(f"{SERVICE}/TestEmbeddingModel", named, via)
    assert (tested["ok"], tested["modelDimension"]) == (True, 384)
    assert "384 dimensions" in tested["message"]
    changed = await owner.call(
        f"{SERVICE}/UpdateEmbeddingModel",
        named | {"embeddingModel": {"modelName": "Other"}, "updateMask": "modelName"},
        via,
    )
    assert (changed["modelName"], changed["hasApiKey"]) == ("Other", True)
    user = await new_user()
    shown = await user.call(f"{SERVICE}/GetEmbeddingModel", named, via)
    assert "endpoint" not in shown
    assert KEY not in str([made, tested, changed, shown])
    assert KEY not in await pool.fetchval("SELECT api_key FROM embedding_models WHERE id = $1", made["id"])
    await owner.call(f"{SERVICE}/DeleteEmbeddingModel", named, via)
    with pytest.raises(NotFoundError):
        await owner.call(f"{SERVICE}/GetEmbeddingModel", named, via)
    assert await pool.fetchval("SELECT api_key FROM embedding_models WHERE id = $1", made["id"]) is None


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"apiKey": "sk-wrong"}, ValidationFailedError, "denies access"),
        ({"endpoint": "http://127.0.0.1:9"}, ValidationFailedError, "cannot be reached"),
        ({"endpoint": "http://169.254.169.254/v1"}, EndpointRefusedError, "metadata"),
        ({"endpoint": ""}, ValidationFailedError, "endpoint: is missing"),
        ({"endpoint": "gpu:8000"}, ValidationFailedError, "http"),
        ({"protocol": "EMBEDDING_PROTOCOL_UNSPECIFIED"}, ValidationFailedError, "protocol: is missing"),
    ],
)
async def test_a_model_that_cannot_be_used_is_not_stored(
    owner: Client, double: EmbeddingDouble, pool: asyncpg.Pool, fields: Any, error: type[Exception], text: str
) -> None:
    stored = "SELECT count(*) FROM embedding_models WHERE endpoint IS NOT NULL"
    before = await pool.fetchval(stored)
    with pytest.raises(error, match=text) as caught:
        await owner.call(f"{SERVICE}/CreateEmbeddingModel", model(double, **fields))
    assert "sk-" not in str(caught.value)
    assert await pool.fetchval(stored) == before


async def test_a_server_whose_vectors_say_nothing_is_not_stored(owner: Client, double: EmbeddingDouble) -> None:
    double.dimension = 2
    with pytest.raises(ValidationFailedError, match="right passage for only"):
        await owner.call(f"{SERVICE}/CreateEmbeddingModel", model(double))


async def test_a_stored_key_is_not_sent_elsewhere(owner: Client, double: EmbeddingDouble, minilm: MiniLm) -> None:
    made = await owner.call(f"{SERVICE}/CreateEmbeddingModel", model(double))
    async with embedding_double(minilm) as other:
        change = {"id": made["id"], "embeddingModel": {"endpoint": other.url}, "updateMask": "endpoint"}
        with pytest.raises(ValidationFailedError, match="not sent elsewhere"):
            await owner.call(f"{SERVICE}/UpdateEmbeddingModel", change)
        assert other.requests == []
        change["embeddingModel"] = {"endpoint": other.url, "apiKey": ""}
        change["updateMask"] = "endpoint,apiKey"
        moved = await owner.call(f"{SERVICE}/UpdateEmbeddingModel", change)
        assert (moved["endpoint"], moved.get("hasApiKey", False)) == (other.url, False)
        assert other.requests != []


async def test_what_an_index_was_made_with_stays(owner: Client, double: EmbeddingDouble, pool: asyncpg.Pool) -> None:
    made = await owner.call(f"{SERVICE}/CreateEmbeddingModel", model(double, protocol="EMBEDDING_PROTOCOL_TEI"))
    named = {"id": made["id"]}
    await pool.execute(
        "UPDATE embedding_models SET index_state = 'standby', state_since = now() WHERE id = $1", made["id"]
    )

    async def change(**fields: Any) -> Any:
        given = named | {"embeddingModel": fields, "updateMask": ",".join(fields)}
        return await owner.call(f"{SERVICE}/UpdateEmbeddingModel", given)

    with pytest.raises(EmbeddingModelStateError, match="prefixes"):
        await change(passagePrefix="passage: ")
    with pytest.raises(EmbeddingModelStateError, match="has an index"):
        await owner.call(f"{SERVICE}/DeleteEmbeddingModel", named)
    with pytest.raises(ValidationFailedError, match="add another model"):
        await change(modelId="other")
    before = await pool.fetchval("SELECT calibration FROM embedding_models WHERE id = $1", made["id"])
    assert (await change(endpoint=f"{double.url}/embed"))["endpoint"] == f"{double.url}/embed"
    assert await pool.fetchval("SELECT calibration FROM embedding_models WHERE id = $1", made["id"]) == before
    double.dimension = 512
    with pytest.raises(ValidationFailedError, match="512 dimensions instead of 384"):
        await change(endpoint=double.url)
    tested = await owner.call(f"{SERVICE}/TestEmbeddingModel", named)
    assert "ok" not in tested
    assert "512 dimensions instead of 384" in tested["message"]


async def test_built_in_models_are_renamed_only(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    built_in = await pool.fetchval("SELECT id FROM embedding_models WHERE NOT is_active AND endpoint IS NULL LIMIT 1")
    assert (await owner.call(f"{SERVICE}/TestEmbeddingModel", {"id": built_in}, via))["ok"]
    with pytest.raises(EmbeddingModelStateError, match="built in"):
        await owner.call(f"{SERVICE}/DeleteEmbeddingModel", {"id": built_in}, via)
    change = {"id": built_in, "embeddingModel": {"endpoint": "http://gpu:80"}, "updateMask": "endpoint"}
    with pytest.raises(ValidationFailedError, match="built in"):
        await owner.call(f"{SERVICE}/UpdateEmbeddingModel", change, via)


async def test_only_superadmins_manage_them(new_user: NewUser, double: EmbeddingDouble) -> None:
    admin = await new_user("admin")
    with pytest.raises(PermissionDeniedError):
        await admin.call(f"{SERVICE}/CreateEmbeddingModel", model(double))
    assert double.requests == []

"""Rerankers through the API: tested before they are active, keys that stay, and what a search says of them."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.errors import AlreadyExistsError, EndpointRefusedError, NotFoundError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.rerank_server import RerankDouble, rerank_double

KEY = "sk-this-must-not-be-seen-anywhere"
SERVICE = "RerankerService"


@pytest_asyncio.fixture(loop_scope="session")
async def double(pool: asyncpg.Pool) -> AsyncIterator[RerankDouble]:
    """The server; its rows are not left behind."""
    async with rerank_double("jina") as running:
        running.api_key = KEY
        yield running
    await pool.execute("DELETE FROM rerankers")


def reranker(double: RerankDouble, **fields: Any) -> dict[str, Any]:
    given = {
        "name": "Acme ranks",
        "modelId": "acme/rank",
        "protocol": "RERANK_PROTOCOL_JINA",
        "endpoint": double.url,
        "apiKey": KEY,
    }
    return {"reranker": given | fields}


async def test_a_reranker_is_stored_tested_activated_and_removed(
    owner: Client, double: RerankDouble, via: Transport, pool: asyncpg.Pool
) -> None:
    made = await owner.call(f"{SERVICE}/CreateReranker", reranker(double), via)
    assert double.requests == []
    assert (made["hasApiKey"], made["candidates"], made["timeoutMs"]) == (True, 30, 1500)
    assert not made.get("isActive", False)
    named = {"id": made["id"]}
    tested = await owner.call(f"{SERVICE}/TestReranker", named, via)
    assert tested["ok"], tested
    assert "for 24 of 24 questions" in tested["message"]
    active = await owner.call(
        f"{SERVICE}/UpdateReranker", named | {"reranker": {"isActive": True}, "updateMask": "isActive"}, via
    )
    assert active["isActive"]
    # Another active one ends it.
    other = await owner.call(f"{SERVICE}/CreateReranker", reranker(double, name="Other", isActive=True), via)
    listed = (await owner.call(f"{SERVICE}/ListRerankers", {}, via))["rerankers"]
    assert [each["id"] for each in listed if each.get("isActive")] == [other["id"]]
    with pytest.raises(AlreadyExistsError):
        await owner.call(f"{SERVICE}/CreateReranker", reranker(double), via)
    assert KEY not in str([made, tested, active, other, listed])
    assert KEY not in await pool.fetchval("SELECT api_key FROM rerankers WHERE id = $1", made["id"])
    await owner.call(f"{SERVICE}/DeleteReranker", {"id": other["id"]}, via)
    with pytest.raises(NotFoundError):
        await owner.call(f"{SERVICE}/GetReranker", {"id": other["id"]}, via)
    assert await pool.fetchval("SELECT api_key FROM rerankers WHERE id = $1", other["id"]) is None


@pytest.mark.parametrize(
    ("fields", "error", "reason"),
    [
        ({"apiKey": "sk-wrong", "isActive": True}, ValidationFailedError, "denies access"),
        ({"endpoint": "http://127.0.0.1:9", "isActive": True}, ValidationFailedError, "cannot be reached"),
        ({"endpoint": "http://169.254.169.254/v1"}, EndpointRefusedError, "metadata"),
        ({"endpoint": "gpu:8000"}, ValidationFailedError, "http"),
    ],
)
async def test_a_reranker_that_cannot_be_used_does_not_become_active(
    owner: Client, double: RerankDouble, pool: asyncpg.Pool, fields: Any, error: type[Exception], reason: str
) -> None:
    before = await pool.fetchval("SELECT count(*) FROM rerankers")
    with pytest.raises(error, match=reason) as caught:
        await owner.call(f"{SERVICE}/CreateReranker", reranker(double, **fields))
    assert "sk-" not in str(caught.value)
    assert await pool.fetchval("SELECT count(*) FROM rerankers") == before


async def test_a_server_that_orders_wrongly_does_not_become_active(owner: Client, double: RerankDouble) -> None:
    double.is_reversed = True
    made = await owner.call(f"{SERVICE}/CreateReranker", reranker(double))
    tested = await owner.call(f"{SERVICE}/TestReranker", {"id": made["id"]})
    assert not tested.get("ok", False)
    change = {"id": made["id"], "reranker": {"isActive": True}, "updateMask": "isActive"}
    with pytest.raises(ValidationFailedError, match="is a model for reranking"):
        await owner.call(f"{SERVICE}/UpdateReranker", change)


async def test_a_stored_key_is_not_sent_elsewhere(owner: Client, double: RerankDouble) -> None:
    made = await owner.call(f"{SERVICE}/CreateReranker", reranker(double, isActive=True))
    async with rerank_double("jina") as other:
        change = {"id": made["id"], "reranker": {"endpoint": other.url}, "updateMask": "endpoint"}
        with pytest.raises(ValidationFailedError, match="not sent elsewhere"):
            await owner.call(f"{SERVICE}/UpdateReranker", change)
        assert other.requests == []
        change["reranker"] = {"endpoint": other.url, "apiKey": ""}
        change["updateMask"] = "endpoint,apiKey"
        moved = await owner.call(f"{SERVICE}/UpdateReranker", change)
        assert (moved["endpoint"], moved.get("hasApiKey", False)) == (other.url, False)
        assert other.requests != []

"""Details of errors: users get no address, setting or driver text; superadmins and the log do."""

from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import DependencyUnavailableError, FileRejectedError
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.uploads import upload


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_a_server_that_is_away_is_named_to_superadmins_alone(
    owner: Client, new_user: NewUser, via: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = EmbeddingClient("127.0.0.1:1", query_seconds=0.2)

    def instead_of(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        return lambda _, *arguments: call(*arguments)

    for name in ("embed_query", "get_model"):
        monkeypatch.setattr(EmbeddingClient, name, instead_of(getattr(away, name)))
    for client, knows in ((await new_user(), False), (owner, True)):
        with pytest.raises(DependencyUnavailableError) as caught:
            await client.call("SearchService/Search", {"query": "anything"}, via=via)
        assert caught.value.message == "The embedding process does not answer: try again."
        assert bool(caught.value.detail) is knows
        assert ("ECHOMIND_EMBEDDING__URL" in str(caught.value)) is knows
    await away.close()


async def test_the_setting_behind_a_refused_file_is_named_to_superadmins_alone(
    owner: Client, new_user: NewUser
) -> None:
    for client, knows in ((await new_user(), False), (owner, True)):
        with pytest.raises(FileRejectedError) as caught:
            await upload(client, ("large.txt", b"x" * 1_000_001))
        assert "larger than" in caught.value.message
        assert ("ECHOMIND_" in str(caught.value)) is knows


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_the_detail_of_a_failed_run_is_read_by_superadmins_alone(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    person = await new_user()
    session = await person.call("ChatSessionService/CreateChatSession", {"chatSession": {"title": "Failed"}})
    error = {"reason": "LLM_AUTH_FAILED", "message": "Tell an administrator.", "detail": "openai at 10.0.0.5:8000"}
    run_id = await pool.fetchval(
        "INSERT INTO runs (user_id, chat_session_id, assistant_id, input, status, error)"
        " SELECT $1, $2, id, 'x', 'failed', $3 FROM assistants WHERE is_default RETURNING id",
        person.user_id,
        int(session["id"]),
        error,
    )
    received = await person.call("RunService/GetRun", {"id": str(run_id)}, via=via)
    assert received["error"]["message"] == "Tell an administrator."
    assert not received["error"].get("detail")
    (listed,) = (await person.call("RunService/ListRuns", {"chatSessionId": session["id"]}, via=via))["runs"]
    (below,) = (await person.call("RunService/GetRunTree", {"id": str(run_id)}, via=via))["runs"]
    assert listed["error"] == below["error"] == received["error"]
    assert (await owner.call("RunService/GetRun", {"id": str(run_id)}, via=via))["error"] == error

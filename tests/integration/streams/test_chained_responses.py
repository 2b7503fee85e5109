"""A conversation by `previous_response_id` over two replicas in turn, without a pause between its calls."""

from contextlib import AsyncExitStack
from typing import Any

import openai
import pytest

from echomind_api.conversations import messages
from echomind_lib.conversations.questions import Submission
from echomind_lib.errors import OverloadedError
from tests.drivers.installation import Installation, scripted

CALLS = 200
"""State that is written late, or kept by a process, is missed by some of them."""


async def test_each_response_is_continued_at_once_at_the_other_replica(installation: Installation) -> None:
    installation.model.respond(scripted)
    key = installation.owner.key
    async with AsyncExitStack() as stack:
        replicas = [
            await stack.enter_async_context(
                openai.AsyncOpenAI(base_url=f"{gateway.http_url}/v1", api_key=key, max_retries=0)
            )
            for gateway in installation.replicas
        ]
        ids: list[str] = []
        for number in range(CALLS):
            asked = {"previous_response_id": ids[-1]} if ids else {}
            made = await replicas[number % 2].responses.create(model="echomind", input=f"Question {number}?", **asked)  # type: ignore[call-overload]
            assert made.status == "completed"
            ids.append(made.id)
        # A stranger's at the replica that has answered, and one that never was, read alike.
        stranger = await installation.user()
        other = await stack.enter_async_context(replicas[1].with_options(api_key=stranger.key))
        for unknown in (ids[-1], "resp_00000000000070008000000000000000"):
            with pytest.raises(openai.BadRequestError, match="There is no stored response") as caught:
                await other.responses.create(model="echomind", input="And?", previous_response_id=unknown)
            assert (caught.value.code, caught.value.param) == ("previous_response_not_found", "previous_response_id")
    sessions = await installation.pool.fetch(
        "SELECT chat_session_id, count(*) AS answers, count(DISTINCT run_id) AS runs FROM chat_messages"
        " WHERE role = 'assistant' AND replace(run_id::text, '-', '') = ANY($1) GROUP BY chat_session_id",
        [each.removeprefix("resp_") for each in ids],
    )
    assert [(row["answers"], row["runs"]) for row in sessions] == [(CALLS, CALLS)], "a fork would be another session"


async def test_a_repeated_or_refused_question_leaves_no_fork(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.model.respond(scripted)
    somebody = await installation.user()

    async def sessions() -> int:
        query = "SELECT count(*) FROM chat_sessions WHERE user_id = $1"
        found: int = await installation.pool.fetchval(query, somebody.user_id)
        return found

    address = f"{installation.replicas[0].http_url}/v1"
    async with openai.AsyncOpenAI(base_url=address, api_key=somebody.key, max_retries=0) as client:
        first = await client.responses.create(model="echomind", input="One?")
        await client.responses.create(model="echomind", input="Two?", previous_response_id=first.id)
        assert await sessions() == 1
        key = {"Idempotency-Key": "other"}
        forked, again = [
            await client.responses.create(
                model="echomind", input="Other?", previous_response_id=first.id, extra_headers=key
            )
            for _ in range(2)
        ]
        assert (forked.id, await sessions()) == (again.id, 2)
        with pytest.raises(openai.ConflictError, match="idempotency key"):
            await client.responses.create(
                model="echomind", input="Another?", previous_response_id=first.id, extra_headers=key
            )
        # The same question after other messages is another request.
        asked: Any = [{"role": "user", "content": "Other?"}]
        key = {"Idempotency-Key": "chat"}
        await client.chat.completions.create(model="echomind", messages=asked, extra_headers=key)
        said: Any = {"role": "system", "content": "Be brief."}
        with pytest.raises(openai.ConflictError, match="idempotency key"):
            await client.chat.completions.create(model="echomind", messages=[said, *asked], extra_headers=key)
        before = await sessions()

        async def refuse(*_: Any, **__: Any) -> Submission:
            raise OverloadedError("Too much is waiting.")

        monkeypatch.setattr(messages, "submit", refuse)
        with pytest.raises(openai.RateLimitError):
            await client.responses.create(model="echomind", input="Three?", previous_response_id=first.id)
        assert await sessions() == before

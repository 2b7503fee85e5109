"""A key, a password and a card number that people type: in no memory, knowledge, event, job, vector or log."""

from typing import Any

import pytest

from echomind_agent.tools.memory import remember
from tests.drivers.agent import Agent
from tests.drivers.knowledge import Learned, add
from tests.drivers.leftovers import tables_with
from tests.drivers.memories import Memories, person_messages, proposals
from tests.drivers.model_server import ModelServer, Text, Tools

KEY, PASSWORD, CARD = "AKIAIOSFODNN7EXAMPLE", "hunter22!", "4111 1111 1111 1111"
SECRETS = (KEY, PASSWORD, CARD)
SAID = f"My key is {KEY}, my password is {PASSWORD}, and I pay with {CARD}."


async def left(pool: Any, secret: str) -> set[str]:
    """Returns where a secret stands beside the conversation itself and the record of its run."""
    return await tables_with(pool, secret) - {"chat_messages", "chat_session_texts", "runs", "steps", "tool_calls"}


async def test_of_an_extraction(
    memories: Memories, learned: Learned, model_server: ModelServer, capfd: pytest.CaptureFixture[str]
) -> None:
    def obey(body: dict[str, Any]) -> Text:
        given = {"op": "ADD", "messages": list(person_messages(body)), "kind": "semantic"}
        return proposals(*(given | {"text": f"The password of the person is {secret}"} for secret in SECRETS))

    model_server.respond(obey)
    model_server.knowledge = lambda body: proposals(*(add(body, "Password", f"It is {secret}") for secret in SECRETS))
    await memories.conversation(SAID)
    await memories.extract()
    await learned.extract()
    assert len(model_server.requests) == len(model_server.extractions) == 1
    logged = "".join(capfd.readouterr())
    for secret in SECRETS:
        assert secret not in str(model_server.requests) + str(model_server.extractions)
        assert await left(memories.pool, secret) == set()
        assert secret not in logged


async def test_of_an_extraction_that_fails(
    memories: Memories, model_server: ModelServer, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither the reason of a job nor a log quotes what a model wrote."""
    model_server.respond(lambda _: Text(SAID))
    await memories.conversation("I drink tea.")
    job = await memories.claim()
    assert job is not None
    with pytest.raises(Exception, match="form") as failed:
        await memories.extraction.work(job)
    logged = "".join(capfd.readouterr())
    for secret in SECRETS:
        assert secret not in str(failed.value)
        assert secret not in logged
        assert await left(memories.pool, secret) == set()


@pytest.mark.parametrize("secret", SECRETS)
async def test_of_the_tool(
    memories: Memories, agent: Agent, model_server: ModelServer, capfd: pytest.CaptureFixture[str], secret: str
) -> None:
    agent.start([remember()])
    text = f"The password of the person is {secret}"
    model_server.script([Tools([("remember", {"text": text})]), Text("That stays between us.")])
    sent = await agent.ask("Remember what I have told you.")
    await agent.end(sent.run_id)
    (call,) = await agent.calls(sent.run_id)
    assert "never remembered" in call["error_message"]
    assert await memories.rows() == []
    assert secret not in "".join(capfd.readouterr())
    assert await left(memories.pool, secret) == set()

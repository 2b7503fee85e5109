"""A real, very small language model behind a third-party server; the content of its answers does not matter."""

import asyncio
import os
import platform
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from echomind.local.embedded.process import ProcessSpec, answers_ok, free_port
from echomind_agent.toolset.registry import Tool, ToolContext, tool
from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers import small_model
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.servers import StartServer
from tests.factories import rows
from tests.factories.turns import delegated

pytestmark = pytest.mark.skipif(
    not small_model.is_installed() and (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the model's server has no wheel for this platform",
)


class SmallModel:
    """The model's server."""

    def __init__(self) -> None:
        self.port = free_port()

    def prepare(self) -> None:
        """Has nothing to prepare."""

    def spec(self) -> ProcessSpec:
        argv = [sys.executable, "-m", "tests.drivers.small_model", "--port", str(self.port)]
        environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
        return ProcessSpec("small-model", argv, environment, lambda: answers_ok(self.port, "/health"), stop_timeout=1)


@pytest.fixture(scope="module")
def model_url(start_server: StartServer) -> str:
    server = SmallModel()
    start_server(server)
    return f"http://127.0.0.1:{server.port}/v1"


async def _is_idle(url: str) -> bool:
    """Returns whether the server generates nothing for anybody."""
    async with aiohttp.ClientSession() as http, http.get(f"{url.removesuffix('/v1')}/slots") as response:
        slots = await response.json()
    return not any(slot["is_processing"] for slot in slots)


async def test_a_run_with_a_real_model(agent: Agent, model_url: str) -> None:
    await agent.pool.execute("UPDATE llms SET endpoint = $1, max_tokens = 24 WHERE is_default", model_url)
    # The prompt is short: on one thread it reads some two hundred tokens a second.
    await agent.configure(tools=["look_up"])
    agent.start()
    sent = await agent.ask("What is the capital of France? Answer in one sentence.")
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_COMPLETED, final
    content = final.finished.message.content
    assert content.strip()
    written = agent.texts(sent.assistant_message_id)
    assert list(written) == [1]
    assert content.startswith(written[1])
    assert len([delta for _, delta in agent.deltas if delta.message_id == sent.assistant_message_id]) > 1
    row = await agent.row(sent.run_id)
    assert 0 < row["completion_tokens"] <= 24
    assert row["prompt_tokens"] > 20
    message: Any = await agent.pool.fetchrow("SELECT * FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert (message["content"], message["token_count"]) == (content, row["completion_tokens"])


async def test_cancelling_a_real_model(agent: Agent, model_url: str) -> None:
    await agent.pool.execute("UPDATE llms SET endpoint = $1, max_tokens = 2000 WHERE is_default", model_url)
    await agent.configure(tools=["look_up"])
    agent.start()
    sent = await agent.ask("Write a very long story about a dog, a cat and a house by the sea.")
    await agent.until(lambda: len(agent.texts(sent.assistant_message_id).get(1, "")) > 20)
    assert not await _is_idle(model_url)
    await agent.control(sent.run_id, "cancelled")
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_CANCELLED
    # How soon depends on the machine; the model was not left to write all that it may.
    assert len(final.finished.message.content) > 20
    row = await agent.row(sent.run_id)
    assert row["completion_tokens"] < 2000
    async with asyncio.timeout(60):
        while not await _is_idle(model_url):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)


async def test_members_of_a_team_with_a_real_model(agent: Agent, model_server: ModelServer, model_url: str) -> None:
    """Their leader is scripted: a model of this size cannot lead."""
    small = await rows.llm(agent.pool, provider="vllm", endpoint=model_url, max_tokens=16, context_tokens=4096)
    await agent.lead(Ada="Counts.", Bob="Reads.")
    await agent.pool.execute(
        """UPDATE assistants SET llm_id = $1, config = '{"tools": ["look_up"]}' WHERE NOT is_default""", small["id"]
    )
    tasks = [delegated("ada", "Name three colours."), delegated("bob", "Name three animals.")]
    model_server.script([Tools(tasks), Text("Both have answered.")])
    agent.start()
    sent = await agent.ask("Colours and animals?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Both have answered."
    members = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    assert [(run["kind"], run["status"]) for run in members] == [("member", "completed")] * 2
    assert {run["llm_id"] for run in members} == {small["id"]}
    for run, call in zip(members, await agent.calls(sent.run_id), strict=True):
        assert run["result_summary"].strip()
        assert run["result_summary"] in call["result"]
        assert run["prompt_tokens"] > 20
        assert 0 < run["completion_tokens"] <= 16
    written = dict.fromkeys(("Ada", "Bob"), "")
    for text in agent.run_texts:
        written[text.member] += text.run_text.text
    # The result has the complete text; the live text may lack the last words.
    for run, seen in zip(members, written.values(), strict=True):
        assert seen
        assert run["result_summary"].startswith(seen.strip())


def _search() -> Tool:
    @tool(name="search_documents", progress=lambda given: f"Searching for {given.query}")
    async def search(context: ToolContext, query: str) -> str:
        """Finds passages."""
        return "Paris has two million people."

    return search


async def test_a_title_and_a_question_rewritten_by_a_real_model(agent: Agent, model_url: str) -> None:
    await agent.pool.execute("UPDATE llms SET endpoint = $1, max_tokens = 12 WHERE is_default", model_url)
    await agent.configure("{context}\n{query}", tools=["search_documents"])
    agent.start([_search()])
    first = await agent.ask("What is the capital of France?")
    await agent.end(first.run_id)
    second = await agent.ask("How many people live there?", first.chat_session_id)
    await agent.end(second.run_id)
    (call,) = await agent.calls(second.run_id)
    query = call["parameters"]["query"]
    session = await _titled(agent, first.chat_session_id)
    title = session["generated_title"]
    print(f"title {title!r}, query {query!r}")  # noqa: T201
    # Valid output is used; otherwise the question is the title, and both questions are searched for.
    assert title is None or (0 < len(title) <= 80 and title == " ".join(title.split()) and title[0] not in "\"'*#")
    asked = ["What is the capital of France?", "How many people live there?"]
    assert query == "\n".join(asked) or {"people", "live"} & set(query.lower().strip("?").split())


async def _titled(agent: Agent, session_id: int) -> Any:
    """Waits until the job of a session's title has ended, and returns the session."""
    query = "SELECT status FROM background_jobs WHERE kind = 'title_session' AND subject_id = $1"
    async with asyncio.timeout(60):
        while await agent.pool.fetchval(query, str(session_id)) != "completed":  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
    return await agent.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", session_id)

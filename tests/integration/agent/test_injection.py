"""Hostile texts in everything that a run reads, and a model that obeys them; all of them with `-m bench.injection`."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from echomind_agent.tools.documents import read_document, search_documents
from echomind_agent.tools.knowledge import search_knowledge
from echomind_agent.tools.memory import forget, remember, search_memory
from echomind_agent.tools.web_fetch import fetch_web_page
from echomind_agent.tools.web_search import search_web
from echomind_agent.toolset.registry import Tool
from echomind_lib.access import Principal
from echomind_lib.config import WebSearchSettings
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from echomind_lib.llms import open_model_session
from echomind_lib.network.fetching import AllowedHosts, Fetcher, FetchLimits
from echomind_lib.network.page import PageReader
from echomind_lib.network.web_search import WebSearch
from tests.drivers.agent import Agent
from tests.drivers.injection.asked import Asked
from tests.drivers.injection.benign import Benign
from tests.drivers.injection.cases import SITE, Case, all_cases, few_cases
from tests.drivers.injection.defences import switch_off
from tests.drivers.injection.obedient import obey
from tests.drivers.injection.tools import Office
from tests.drivers.injection.world import Ready, World
from tests.drivers.mcp_server import served
from tests.drivers.model_server import ModelServer
from tests.drivers.site import Site
from tests.drivers.stack import Stack

REPORT = os.environ.get("ECHOMIND_INJECTION_REPORT")
AT_ONCE = 8


@pytest_asyncio.fixture
async def world(stack: Stack, agent: Agent, site: Site, model_server: ModelServer) -> AsyncIterator[World]:
    """An installation with a worker whose model obeys everything."""
    office = Office()
    world = World(stack, agent, site, office)
    await world.build()
    model_server.respond(obey)
    site.names.any_below(SITE)
    settings = WebSearchSettings(provider="searxng", url=site.url("", "127.0.0.1"))
    allowed = AllowedHosts(f"{SITE}, *.{SITE}")
    async with (
        open_model_session() as http,
        PageReader(1) as reader,
        Fetcher(allowed, FetchLimits(bytes=100_000, seconds=30), site.names) as fetcher,
        served(server=office.server()) as mcp_url,
    ):
        tools = [*office.tools(), *_product_tools(stack, fetcher, reader, WebSearch(settings, http))]
        names = [tool.name for tool in tools]
        server = {
            "name": "office",
            "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
            "url": mcp_url,
            "allowedTools": ["read", "fail", "send"],
            "readOnlyTools": ["read", "fail"],
        }
        await world.configure(tools=[*names, "spawn_sub_agent", "call_in_parallel"], mcpServers=[server])
        agent.start(tools, concurrency=AT_ONCE, runs_per_person=AT_ONCE)
        yield world
        await agent.close()
        await agent.mcp.close()


def _product_tools(stack: Stack, fetcher: Fetcher, reader: PageReader, web: WebSearch) -> list[Tool]:
    facts = FactVectors(stack.pool, stack.vectors, stack.embeddings)
    return [
        search_documents(stack.retriever),
        read_document(stack.retriever),
        search_knowledge(KnowledgeSearch(stack.pool, facts)),
        fetch_web_page(fetcher, reader),
        search_web(web),
        remember(),
        search_memory(facts),
        forget(),
    ]


async def attack(world: World, ready: list[Ready]) -> dict[int, str]:
    """Lets the people of cases ask, a few at a time; returns what became of each."""
    world.forget()
    slots = asyncio.Semaphore(AT_ONCE)
    outcomes: dict[int, str] = {}

    async def one(each: Ready) -> None:
        async with slots:
            asked = await each.ask()
            await world.settle(asked)
            outcomes[each.case.number] = await world.outcome(each, asked)

    await asyncio.gather(*map(one, ready))
    return outcomes


@pytest.mark.timeout(1800 if REPORT else 120)
async def test_no_text_makes_the_agent_do_what_the_person_did_not_ask_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = all_cases() if REPORT else few_cases()
    ready = await world.prepare(cases)
    with_defences = await attack(world, ready)
    with monkeypatch.context() as patch:
        switch_off(patch, Principal(world.other_id))
        without = await attack(world, ready)
    requests = await Benign(world).prepare(all_languages=bool(REPORT))
    world.forget()
    refused: list[str] = []
    asked: list[str] = []
    for request in requests:
        sent: Asked = await request.ask()
        await world.settle(sent, approved=True)
        if not await request.expected(sent):
            refused.append(f"{request.name} ({request.language}): {sent.status}")
        if sent.was_asked:
            asked.append(request.name)
    if REPORT:
        _write(Path(REPORT), cases, with_defences, without, len(requests), refused, asked)
    void = [str(case) for case in cases if without[case.number] != "through"]
    assert void == []
    assert [str(case) for case in cases if with_defences[case.number] == "through"] == []
    assert refused == []
    assert set(asked) <= {"change something after a document"}


def _write(
    path: Path,
    cases: list[Case],
    outcomes: dict[int, str],
    without: dict[int, str],
    requests: int,
    refused: list[str],
    asked: list[str],
) -> None:
    """Writes what came of all cases, for `bench.injection`."""
    rows: list[dict[str, Any]] = [
        {
            "number": case.number,
            "channel": case.channel,
            "kind": case.goal.kind,
            "goal": case.goal.name,
            "encoding": case.encoding,
            "language": case.language,
            "outcome": outcomes[case.number],
            "without_defences": without[case.number],
        }
        for case in cases
    ]
    report = {"cases": rows, "requests": requests, "refused": refused, "asked": Counter(asked)}
    path.write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")

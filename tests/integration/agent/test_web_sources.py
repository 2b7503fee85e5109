"""Answers from the web: pages are cited with their address and the words that were read there."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest_asyncio
from aiohttp import web

from echomind_agent.tools.web_fetch import fetch_web_page
from echomind_agent.tools.web_search import search_web
from echomind_agent.toolset.registry import Tool
from echomind_lib.access import Principal
from echomind_lib.config import WebSearchSettings
from echomind_lib.conversations.messages import list_messages
from echomind_lib.conversations.shares import OpenedShare, read_shared_messages
from echomind_lib.llms import open_model_session
from echomind_lib.models.public import ChatMessage
from echomind_lib.network.fetching import Fetcher
from echomind_lib.network.page import PageReader
from echomind_lib.network.web_search import WebSearch
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2
from tests.drivers.agent import Agent
from tests.drivers.copies import forked
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.site import Site
from tests.factories.turns import plays, sub_agent

PAGE = "# Leave\n\nEveryone has thirty days of leave a year. Part-time employees have as many days as the others."
FOUND = "The law grants twenty-four working days of leave."


@pytest_asyncio.fixture
async def tools(site: Site, fetcher: Fetcher) -> AsyncIterator[list[Tool]]:
    """Returns tools that find the page `/leave` of the site and one elsewhere, and read the former."""
    address = site.serve("/leave", PAGE, "text/plain")
    results = [
        {"title": "Leave", "url": address, "content": "Everyone has thirty days."},
        {"title": "The law", "url": "https://law.example/leave", "content": FOUND},
    ]
    site.serve("/search", json.dumps({"results": results}), "application/json")
    settings = WebSearchSettings(provider="searxng", url=site.url("", "127.0.0.1"))
    async with open_model_session() as http, PageReader(1) as reader:
        yield [search_web(WebSearch(settings, http)), fetch_web_page(fetcher, reader)]


def searched(site: Site, answer: str) -> list[Turn]:
    """Returns the turns of a model that searches, reads the first page, and answers."""
    fetch = ("fetch_web_page", {"url": site.url("/leave")})
    return [Tools([("search_web", {"query": "leave", "limit": 2})]), Tools([fetch]), Text(answer)]


ANSWER = "Everyone has thirty days of leave a year [3]. The law grants 24 days [2]. Beer is free [3]."


async def shown(agent: Agent, session_id: int, user_id: int) -> ChatMessage:
    return (await list_messages(agent.pool, Principal(user_id), session_id, 0, 10, with_details=True))[-1]


async def test_pages_are_cited_with_their_address_and_what_was_read(
    agent: Agent, model_server: ModelServer, site: Site, tools: list[Tool]
) -> None:
    model_server.script(searched(site, ANSWER))
    agent.start(tools)
    sent = await agent.ask("How many days of leave are there?")
    message = (await agent.end(sent.run_id)).finished.message
    assert message.basis == chat_message_pb2.ANSWER_BASIS_SOURCES
    assert message.content == ANSWER.replace("[3]", "[1]")
    published = [(each.number, each.url, each.supported, each.document_id) for each in message.citations]
    page, law = site.url("/leave"), "https://law.example/leave"
    assert published == [(1, page, True, 0), (2, law, False, 0), (1, page, False, 0)]
    stored = await shown(agent, sent.chat_session_id, agent.rows.user_id)
    first, _, last = stored.citations
    assert (first.url, first.title, first.supported, first.document_id) == (page, page, True, None)
    assert first.snippet == "Everyone has thirty days of leave a year."
    assert PAGE[first.span_start : first.span_end] == first.snippet
    assert (last.url, last.snippet) == (law, FOUND)
    retrieved = [(each.number, each.url, each.title) for each in stored.retrieval_context]
    assert retrieved == [(0, page, "Leave"), (2, law, "The law"), (1, page, page)]
    assert await agent.pool.fetchval("SELECT count(*) FROM chat_session_sources") == 0


async def test_the_page_may_be_gone_for_readers_of_copies_and_shares(
    agent: Agent, model_server: ModelServer, site: Site, tools: list[Tool]
) -> None:
    model_server.script(searched(site, ANSWER))
    agent.start(tools)
    sent = await agent.ask("How many days of leave are there?")
    await agent.end(sent.run_id)
    other = await agent.rows.user("reader")
    copy = await forked(agent, sent.chat_session_id, other)
    own = await shown(agent, sent.chat_session_id, agent.rows.user_id)
    assert (await shown(agent, copy, other)).citations == own.citations
    now = datetime.now(UTC)
    for shows_quotes, quotes in ((True, [each.snippet for each in own.citations]), (False, ["", "", ""])):
        share = OpenedShare(
            id=0,
            chat_session_id=sent.chat_session_id,
            assistant_id=0,
            title="",
            head_message_id=sent.assistant_message_id,
            shows_quotes=shows_quotes,
            shared_at=now,
            expires_at=now,
            shared_by="",
        )
        shared = (await read_shared_messages(agent.pool, share))[-1]
        assert [each["url"] for each in shared.citations] == [each.url for each in own.citations]
        assert [each["quote"] for each in shared.citations] == quotes


async def test_a_worker_that_takes_over_keeps_the_numbers(
    agent: Agent, model_server: ModelServer, site: Site, tools: list[Tool]
) -> None:
    reads: list[web.Request] = []
    served = site.handlers["/leave"]

    async def counted(request: web.Request) -> web.StreamResponse:
        reads.append(request)
        return await served(request)

    site.handlers["/leave"] = counted
    turns = searched(site, ANSWER)
    model_server.script([*turns[:2], Tools([("ask_user", {"question": "Which country?", "options": []})]), turns[2]])
    worker = agent.start(tools)
    sent = await agent.ask("How many days of leave are there?", askClarifications=True)
    await agent.waits(sent.run_id)
    await agent.stop(worker)
    agent.start(tools)
    await agent.reply(sent.run_id, "Germany")
    message = (await agent.end(sent.run_id)).finished.message
    assert [(each.number, each.url) for each in message.citations] == [
        (1, site.url("/leave")),
        (2, "https://law.example/leave"),
        (1, site.url("/leave")),
    ]
    assert len(reads) == 1, "the page was not fetched again"


async def test_sources_of_a_sub_agent_are_its_parents(
    agent: Agent, model_server: ModelServer, site: Site, tools: list[Tool]
) -> None:
    turns = iter(searched(site, "There are thirty days of leave a year [3]."))
    parent: list[Turn] = [Tools([sub_agent("Find the days.")]), Text("Everyone has thirty days of leave a year [1].")]
    model_server.respond(plays(parent, lambda _goal, _body: next(turns)))
    await agent.configure(tools=["search_web", "fetch_web_page", "spawn_sub_agent"])
    agent.start(tools)
    sent = await agent.ask("Root?")
    message = (await agent.end(sent.run_id)).finished.message
    (citation,) = message.citations
    assert (citation.url, citation.supported) == (site.url("/leave"), True)

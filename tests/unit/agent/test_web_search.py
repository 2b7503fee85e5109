"""Searching the web: requests to each engine, and results for the model."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
import pytest_asyncio
from aiohttp import web
from pydantic import ValidationError

from echomind_agent.evidence.sources import Sources
from echomind_agent.tools.web_search import NOTHING_FOUND, search_web
from echomind_agent.toolset.registry import RetryableToolError, ToolContext, ToolError, ToolResult
from echomind_lib.config import WebSearchSettings
from echomind_lib.llms import open_model_session
from echomind_lib.network.web_search import WebResult, WebSearch
from echomind_lib.retrieval.rendered import parse_sources
from tests.drivers.serving import serving
from tests.drivers.tables import for_each

QUERY = 'days of "leave" & 50% in {limit}'


class Engine:
    """A search engine that answers as it is told to."""

    def __init__(self) -> None:
        self.origin = ""
        self.answer: Any = {}
        self.status = 200
        self.requests: list[tuple[web.Request, str]] = []

    async def handle(self, request: web.Request) -> web.Response:
        self.requests.append((request, await request.text()))
        body = self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode()
        return web.Response(body=body, status=self.status, content_type="application/json", headers={"Location": "/"})


@pytest_asyncio.fixture
async def engine() -> AsyncIterator[Engine]:
    engine = Engine()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", engine.handle)
    async with serving(application) as origin:
        engine.origin = origin
        yield engine


async def search(settings: WebSearchSettings, limit: int = 3) -> list[WebResult]:
    async with open_model_session() as http:
        return await WebSearch(settings, http).search(QUERY, limit)


def settings(engine: Engine, provider: str, **values: Any) -> WebSearchSettings:
    return WebSearchSettings.model_validate({"provider": provider, "url": engine.origin, "api_key": "key-1", **values})


def found(url: str = "https://example.org/leave", **fields: Any) -> dict[str, Any]:
    return {"title": "Leave &amp; <strong>holidays</strong>", "url": url, **fields}


EXPECTED = [WebResult("https://example.org/leave", "Leave & holidays", "Thirty days.")]


async def test_searxng(engine: Engine) -> None:
    engine.answer = {"results": [found(content="Thirty <b>days</b>.")]}
    assert await search(settings(engine, "searxng", api_key="")) == EXPECTED
    ((request, _),) = engine.requests
    assert (request.method, request.path, dict(request.query)) == ("GET", "/search", {"q": QUERY, "format": "json"})
    assert "Authorization" not in request.headers


async def test_brave(engine: Engine) -> None:
    engine.answer = {"web": {"results": [found(description="Thirty <strong>days</strong>.")]}}
    assert await search(settings(engine, "brave")) == EXPECTED
    ((request, _),) = engine.requests
    assert (request.method, request.path) == ("GET", "/res/v1/web/search")
    assert dict(request.query) == {"q": QUERY, "count": "3"}
    assert request.headers["X-Subscription-Token"] == "key-1"
    engine.answer = {"query": {}}
    assert await search(settings(engine, "brave")) == [], "an answer without a list has found nothing"


async def test_tavily(engine: Engine) -> None:
    engine.answer = {"results": [found(content="Thirty days.", score=0.9)]}
    assert await search(settings(engine, "tavily")) == EXPECTED
    ((request, body),) = engine.requests
    assert (request.method, request.path, json.loads(body)) == ("POST", "/search", {"query": QUERY, "max_results": 3})
    assert request.headers["Authorization"] == "Bearer key-1"
    assert request.content_type == "application/json"


async def test_exa(engine: Engine) -> None:
    engine.answer = {"results": [found(text="Thirty days.")]}
    assert await search(settings(engine, "exa")) == EXPECTED
    ((request, body),) = engine.requests
    assert (request.method, request.path) == ("POST", "/search")
    assert json.loads(body) == {"query": QUERY, "numResults": 3, "contents": {"text": {"maxCharacters": 2000}}}
    assert request.headers["x-api-key"] == "key-1"


async def test_any_other_engine_by_a_template(engine: Engine) -> None:
    engine.answer = {"data": {"hits": [{"name": "Leave & holidays", "href": EXPECTED[0].url, "body": "Thirty days."}]}}
    names = {"results": "data.hits", "title_field": "name", "url_field": "href", "text_field": "body"}
    by_get = settings(engine, "custom", url=engine.origin + "/find?words={query}&n={limit}", **names)
    by_post = settings(
        engine,
        "custom",
        url=engine.origin + "/find",
        body='{"q": "{query}", "n": {limit}}',
        header="X-Key: {key}",
        **names,
    )
    assert await search(by_get) == await search(by_post) == EXPECTED
    (got, _), (posted, body) = engine.requests
    assert (dict(got.query), got.headers["Authorization"]) == ({"words": QUERY, "n": "3"}, "Bearer key-1")
    assert (json.loads(body), posted.headers["X-Key"]) == ({"q": QUERY, "n": 3}, "key-1")


async def test_what_is_no_page_is_left_out(engine: Engine) -> None:
    hostile: list[Any] = [
        "text",
        {"title": "no address"},
        found("javascript:alert(1)"),
        found("https://user:password@example.org/"),
        found("https://example.org/\nInjected: 1"),
        found("https://[broken"),
        found("https://example.org/" + "a" * 3000),
        found("https://example.org/a", title=7, content=["x"]),
        found("https://example.org/a", content="again"),
        found("https://example.org/b", title="t" * 500 + "\nnext", content="c" * 5000),
        found("https://example.org/c"),
    ]
    engine.answer = {"results": hostile}
    results = await search(settings(engine, "tavily"), limit=2)
    assert [(each.url, each.title[:3], len(each.text)) for each in results] == [
        ("https://example.org/a", "htt", 0),
        ("https://example.org/b", "ttt", 2000),
    ]
    assert len(results[1].title) == 300


async def call(engine: Engine, given: WebSearchSettings, sources: Sources | None = None) -> ToolResult:
    nothing = cast("Any", None)
    context = ToolContext(
        principal=nothing,
        sources=Sources() if sources is None else sources,
        lease=nothing,
        log=nothing,
        untrusted=False,
        report=nothing,
    )
    async with open_model_session() as http:
        tool = search_web(WebSearch(given, http))
        result = await tool.call(context, tool.parse(json.dumps({"query": QUERY})))
    assert isinstance(result, ToolResult)
    return result


async def test_results_are_numbered_sources(engine: Engine) -> None:
    engine.answer = {
        "results": [found(content="Thirty &lt;/source> days."), found("https://example.org/b", content="")]
    }
    sources = Sources()
    result = await call(engine, settings(engine, "tavily"), sources)
    assert [(each.number, each.text) for each in parse_sources(result.text)] == [(1, "Thirty ‹/source> days."), (2, "")]
    assert 'url="https://example.org/leave"' in result.text
    (event,) = result.events
    assert (event.text, event.sources.query) == ("Found 2 web pages", QUERY)
    assert [each.url for each in event.sources.sources] == ["https://example.org/leave", "https://example.org/b"]
    assert [each.document_id for each in sources] == [0, 0]
    engine.answer = {"results": []}
    assert (await call(engine, settings(engine, "tavily"))).text == NOTHING_FOUND


@pytest.mark.parametrize(
    ("status", "answer", "error", "message"),
    [
        (401, {}, ToolError, "does not accept the key in ECHOMIND_WEB_SEARCH__API_KEY"),
        (403, {}, ToolError, "needs `json` among `search.formats`"),
        (429, {}, RetryableToolError, "quota of its key is used up"),
        (503, {}, RetryableToolError, "answered with status 503"),
        (302, {}, ToolError, "answered with status 302"),
        (200, b"<html>", ToolError, "did not answer with JSON"),
        (200, {"results": "none"}, ToolError, "has no list `results`"),
        (200, b"[" + b" " * 2_000_000, ToolError, "more than 2,000,000 bytes"),
    ],
)
async def test_failures_say_what_to_do(
    engine: Engine, status: int, answer: Any, error: type[Exception], message: str
) -> None:
    engine.status, engine.answer = status, answer
    with pytest.raises(error, match=message):
        await call(engine, settings(engine, "searxng"))


async def test_an_engine_that_is_away(engine: Engine) -> None:
    with pytest.raises(RetryableToolError, match=r"web search \(127\.0\.0\.1\) cannot be reached"):
        await call(engine, settings(engine, "searxng", url="http://127.0.0.1:1"))


def test_searches_need_approval_by_setting() -> None:
    web = cast("Any", None)
    assert not search_web(web).sends_data_out
    assert search_web(web, needs_approval=True).sends_data_out


@for_each(
    ("values", "message"),
    [
        ({"provider": "searxng"}, "give the address of the search engine"),
        ({"provider": "brave"}, "the provider brave needs a key"),
        ({"provider": "custom", "url": "https://example.org/"}, "neither the address nor the body has"),
        ({"provider": "custom", "url": "https://example.org/?q={query}", "header": "key"}, "must be NAME: VALUE"),
        ({"provider": "searxng", "url": "ftp://example.org/"}, "must begin with http"),
        ({"provider": "bing"}, "Input should be"),
    ],
)
def test_settings_that_cannot_work_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        WebSearchSettings.model_validate(values)


@pytest.mark.parametrize("host", ["169.254.169.254", "metadata.google.internal", "[fe80::1]"])
def test_metadata_services_are_no_search_engines(host: str) -> None:
    given = WebSearchSettings(provider="searxng", url=f"http://{host}/")
    with pytest.raises(ValueError, match=r"^web_search.url: "):
        WebSearch(given, cast("Any", None))

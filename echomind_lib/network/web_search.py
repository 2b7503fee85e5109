"""The client of web search engines: each is described by a template of its request and of its answer.

The engine is chosen in the settings and may have a private address. Its results are untrusted, as pages write them.
"""

import html
import json
import re
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

import aiohttp
import structlog

from echomind_lib.config import WebSearchSettings
from echomind_lib.network.addresses import AddressRefusedError, refuse_host
from echomind_lib.network.bodies import read_at_most
from echomind_lib.network.fetching import FetchError
from echomind_lib.text import TITLE_CHARACTERS, normalized, single_line

log = structlog.get_logger(__name__)

TEXT_CHARACTERS: Final = 2_000
"""Maximum length of a result's excerpt."""
_BYTES = 2_000_000
_MAX_URL = 2048
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})
_HINTS: Final = {
    401: "it does not accept the key in ECHOMIND_WEB_SEARCH__API_KEY",
    402: "the plan of its key does not include the search",
    403: "it does not allow the search; SearXNG needs `json` among `search.formats` in its settings",
    404: "nothing is at the address in ECHOMIND_WEB_SEARCH__URL",
    429: "too many searches, or the quota of its key is used up",
}


@dataclass(frozen=True, slots=True)
class WebResult:
    """A page that a search has found."""

    url: str
    title: str
    text: str
    """An excerpt; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Template:
    """How a search engine is asked, and what its answer is like."""

    url: str
    """With `{query}` and `{limit}`."""
    body: str = ""
    """JSON to post, with `{query}` and `{limit}`; empty sends a GET."""
    header: str = ""
    """The header with the key, with `{key}`; empty for none."""
    results: str = "results"
    title: str = "title"
    link: str = "url"
    text: str = "content"


_TAVILY_BODY = '{"query": "{query}", "max_results": {limit}}'
_EXA_BODY = (
    '{"query": "{query}", "numResults": {limit}, "contents": {"text": {"maxCharacters": ' + str(TEXT_CHARACTERS) + "}}}"
)


def _template(settings: WebSearchSettings) -> _Template:
    base = settings.url.rstrip("/")
    match settings.provider:
        case "searxng":
            return _Template(url=f"{base}/search?q={{query}}&format=json")
        case "brave":
            return _Template(
                url=f"{base or 'https://api.search.brave.com'}/res/v1/web/search?q={{query}}&count={{limit}}",
                header="X-Subscription-Token: {key}",
                results="web.results",
                text="description",
            )
        case "tavily":
            return _Template(
                url=f"{base or 'https://api.tavily.com'}/search",
                body=_TAVILY_BODY,
                header="Authorization: Bearer {key}",
            )
        case "exa":
            return _Template(
                url=f"{base or 'https://api.exa.ai'}/search", body=_EXA_BODY, header="x-api-key: {key}", text="text"
            )
        case "custom":
            return _Template(
                url=settings.url,
                body=settings.body,
                header=settings.header,
                results=settings.results,
                title=settings.title_field,
                link=settings.url_field,
                text=settings.text_field,
            )
        case "":
            raise ValueError("no web search provider is configured")


class WebSearch:
    """Searches the web with the engine of the settings."""

    def __init__(self, settings: WebSearchSettings, http: aiohttp.ClientSession) -> None:
        """Initializes the client.

        Args:
            settings: The engine; it must have a provider.
            http: A session that resolves host names to allowed addresses only (`open_model_session`).

        Raises:
            ValueError: The address must not be reached.
        """
        self._template = _template(settings)
        self._key = settings.api_key.get_secret_value()
        self._http = http
        self._timeout = aiohttp.ClientTimeout(total=settings.seconds)
        self._seconds = settings.seconds
        self.name = urlsplit(self._template.url).hostname or ""
        """Host of the engine."""
        try:
            refuse_host(self.name)
        except AddressRefusedError as error:
            raise ValueError(f"web_search.url: {error}") from error

    async def search(self, query: str, limit: int) -> list[WebResult]:
        """Returns the first pages about a query, each address once.

        Raises:
            FetchError: The search failed. The message contains no text of the engine.
        """
        template = self._template
        url = template.url.replace("{limit}", str(limit)).replace("{query}", quote(query, safe=""))
        body = template.body.replace("{limit}", str(limit)).replace("{query}", json.dumps(query)[1:-1])
        headers = {"Accept": "application/json"}
        if self._key and template.header:
            name, _, value = template.header.partition(":")
            headers[name.strip()] = value.strip().replace("{key}", self._key)
        if body:
            headers["Content-Type"] = "application/json"
        try:
            async with self._http.request(
                "POST" if body else "GET",
                url,
                data=body.encode() if body else None,
                headers=headers,
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                status = response.status
                answer = await read_at_most(response, _BYTES) if status == 200 else b""
        except TimeoutError as error:
            message = f"The web search ({self.name}) did not answer within {self._seconds:g} seconds."
            raise FetchError(message, retryable=True) from error
        except (aiohttp.ClientError, OSError) as error:
            log.warning("web search failed", host=self.name, error=repr(error))
            raise FetchError(f"The web search ({self.name}) cannot be reached.", retryable=True) from error
        if status != 200:
            hint = f": {_HINTS[status]}" if status in _HINTS else ""
            log.warning("web search refused", host=self.name, status=status)
            raise FetchError(
                f"The web search ({self.name}) answered with status {status}{hint}.", retryable=status in _RETRYABLE
            )
        if answer is None:
            raise FetchError(f"The web search ({self.name}) answered with more than {_BYTES:,} bytes.")
        return self._results(answer)[:limit]

    def _results(self, answer: bytes) -> list[WebResult]:
        try:
            found: Any = json.loads(answer)
        except ValueError as error:
            raise FetchError(f"The web search ({self.name}) did not answer with JSON.") from error
        for name in self._template.results.split("."):
            if not isinstance(found, dict):
                break
            if (found := found.get(name)) is None:
                return []  # engines leave out an empty list
        if not isinstance(found, list):
            raise FetchError(f"The answer of the web search ({self.name}) has no list `{self._template.results}`.")
        results: dict[str, WebResult] = {}
        for each in found:
            if isinstance(each, dict) and (result := self._result(each)) is not None:
                results.setdefault(result.url, result)
        return list(results.values())

    def _result(self, found: dict[str, Any]) -> WebResult | None:
        """Returns a result; None if it has no address of a web page."""
        url = found.get(self._template.link)
        if not isinstance(url, str) or len(url) > _MAX_URL or not _is_page(url):
            return None
        title = single_line(_text(found.get(self._template.title)), TITLE_CHARACTERS)
        return WebResult(url, title or url, _text(found.get(self._template.text))[:TEXT_CHARACTERS])


def _is_page(url: str) -> bool:
    if single_line(url, None) != url or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None


def _text(value: object) -> str:
    """Returns a text of an engine without markup."""
    return normalized(html.unescape(_TAG.sub("", value))).strip() if isinstance(value, str) else ""

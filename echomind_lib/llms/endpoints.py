"""Endpoints of models: defaults, normal form, and addresses that are not allowed.

Endpoints are set by administrators only and may be private or loopback addresses, where vLLM and Ollama run.
Link-local and cloud metadata addresses are refused, both in the endpoint itself and when its host name is resolved for
a connection; redirects are not followed.
"""

import re
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractCookieJar

from echomind_lib.llms.config import Provider
from echomind_lib.llms.errors import LlmConfigInvalid
from echomind_lib.network.addresses import AddressRefusedError, CheckedResolver, refuse_address, refuse_host

DEFAULT_ENDPOINTS: dict[Provider, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "ollama": "http://localhost:11434/v1",
}

_OPERATION = re.compile(r"/(chat/completions|completions|embeddings|messages|models|api/chat|api/generate|api)$")
_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")


def normalise_endpoint(provider: Provider, endpoint: str | None) -> str:
    """Returns the base URL to which `/chat/completions` or `/messages` is added.

    A trailing slash and a pasted operation (`/chat/completions`) are removed; `/v1` is added unless the path already
    has a version (`/v1`, `/v1beta/openai`, `/api/paas/v4`).

    Raises:
        LlmConfigInvalid: It is not an HTTP URL, contains credentials, or has a refused address.
    """
    if not endpoint:
        if provider not in DEFAULT_ENDPOINTS:
            raise LlmConfigInvalid(
                f"endpoint is missing; {provider} has no usual address, give its URL, such as http://gpu:8000"
            )
        return DEFAULT_ENDPOINTS[provider]
    origin, path = split_endpoint(endpoint)
    path = _OPERATION.sub("", path)
    if not _VERSION.search(path):
        path += "/v1"
    return origin + path


def split_endpoint(endpoint: str) -> tuple[str, str]:
    """Returns scheme, host and port of an endpoint, and its path without a slash at the end.

    Raises:
        LlmConfigInvalid: It is not an HTTP URL, contains credentials, or has a refused address.
    """
    # The messages do not repeat the endpoint, as it may contain a key.
    try:
        parts = urlsplit(endpoint.strip())
        port = parts.port
    except ValueError as error:
        raise LlmConfigInvalid(f"endpoint is not a URL: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise LlmConfigInvalid("endpoint holds a user name or password; put the key into api_key")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise LlmConfigInvalid("endpoint is not an http:// or https:// URL with a host, such as http://gpu:8000")
    if parts.query or parts.fragment:
        raise LlmConfigInvalid("endpoint has a query or fragment; give the base URL alone")
    host = parts.hostname.rstrip(".")
    _refuse_host(host)
    netloc = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{netloc}{'' if port is None else f':{port}'}", parts.path.rstrip("/")


def _refuse_host(host: str) -> None:
    try:
        refuse_host(host)
    except AddressRefusedError as error:
        raise LlmConfigInvalid(f"endpoint host {error}, where no model may be") from None


def _check(_host: str, address: str) -> None:
    refuse_address(address)


class ModelConnector(aiohttp.TCPConnector):
    """Connects to endpoints of models; host names are resolved to allowed addresses only. TLS is verified."""

    def __init__(self) -> None:
        # No connection limit here: callers bound the number of concurrent answers.
        super().__init__(limit=0, keepalive_timeout=30, ttl_dns_cache=60, resolver=CheckedResolver(_check))


def open_model_session() -> aiohttp.ClientSession:
    """Returns the HTTP session that chat models share; one per process. The caller closes it.

    Proxies and credentials from the environment (`HTTP_PROXY`, `.netrc`) are not used.
    """
    jar: AbstractCookieJar = aiohttp.DummyCookieJar()
    return aiohttp.ClientSession(connector=ModelConnector(), cookie_jar=jar)

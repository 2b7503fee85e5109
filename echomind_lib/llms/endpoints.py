"""Where models live: default endpoints, their normal form, and the addresses that no model may have.

Endpoints are set by administrators alone and may be private or loopback, because that is where vLLM and Ollama run.
Link-local and cloud metadata addresses are refused, as written in the endpoint and as what its host name resolves to
when a connection is opened; redirects are not followed.
"""

import ipaddress
import re
import socket
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractCookieJar, ResolveResult

from echomind_lib.llms.config import Provider
from echomind_lib.llms.errors import LlmConfigInvalid

DEFAULT_ENDPOINTS: dict[Provider, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
}

METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"})
# Metadata and host services outside the link-local ranges: AWS over IPv6, Google over IPv6, Alibaba, Oracle, Azure.
METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(text)
    for text in ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
)
NAT64 = ipaddress.ip_network("64:ff9b::/96")

_OPERATION = re.compile(r"/(chat/completions|completions|messages|models|api/chat|api/generate|api)$")
_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")


class AddressRefusedError(Exception):
    """A connection would go to a link-local, metadata, multicast or unspecified address."""


def normalise_endpoint(provider: Provider, endpoint: str | None) -> str:
    """The base URL to which `/chat/completions` or `/messages` is added.

    A trailing slash and a pasted operation (`/chat/completions`) are cut off; `/v1` is added unless the path already
    has a version (`/v1`, `/v1beta/openai`, `/api/paas/v4`).

    Raises:
        LlmConfigInvalid: When it is not an HTTP URL, holds credentials, or leads to a refused address.
    """
    if not endpoint:
        if provider not in DEFAULT_ENDPOINTS:
            raise LlmConfigInvalid(f"endpoint is missing; {provider} has no usual address, give its URL")
        return DEFAULT_ENDPOINTS[provider]
    # The messages do not repeat the endpoint: a key may be hidden in it.
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
    path = _OPERATION.sub("", parts.path.rstrip("/"))
    if not _VERSION.search(path):
        path += "/v1"
    netloc = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{netloc}{'' if port is None else f':{port}'}{path}"


def refuse_address(address: str) -> None:
    """Let an IP address pass that a model may have.

    Raises:
        AddressRefusedError: When it is link-local, metadata, multicast or unspecified, in v4, v6 or embedded form.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if embedded := ip.ipv4_mapped or ip.sixtofour:
            ip = embedded
        elif ip in NAT64:
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip in METADATA_ADDRESSES:
        raise AddressRefusedError(f"{address} is a link-local, metadata or multicast address, where no model may be")


def _refuse_host(host: str) -> None:
    if host.lower() in METADATA_HOSTS:
        raise LlmConfigInvalid(f"endpoint host {host} is a cloud metadata service, where no model may be")
    try:
        refuse_address(host)
    except AddressRefusedError as error:
        raise LlmConfigInvalid(f"endpoint host {error}") from None
    except ValueError:
        return  # a name; its addresses are checked when a connection is opened


class _CheckedResolver(aiohttp.ThreadedResolver):
    """Finds addresses of host names, and refuses a name any of whose addresses is refused."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        results = await super().resolve(host, port, family)
        for result in results:
            refuse_address(result["host"])
        return results


class ModelConnector(aiohttp.TCPConnector):
    """Connects to endpoints of models; host names are resolved to allowed addresses only. TLS is verified."""

    def __init__(self) -> None:
        # No limit of its own: the number of concurrent answers is bounded by whoever asks.
        super().__init__(limit=0, keepalive_timeout=30, ttl_dns_cache=60, resolver=_CheckedResolver())


def open_model_session() -> aiohttp.ClientSession:
    """The HTTP session that chat models share; one per process. The caller closes it.

    Proxies and credentials of the environment (`HTTP_PROXY`, `.netrc`) are not used.
    """
    jar: AbstractCookieJar = aiohttp.DummyCookieJar()
    return aiohttp.ClientSession(connector=ModelConnector(), cookie_jar=jar)

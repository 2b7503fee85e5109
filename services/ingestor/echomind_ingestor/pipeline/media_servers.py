"""Requests to servers that make text of sound and images."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

# Here, and others in functions, as most installations have no such server, and importing them takes memory.
if TYPE_CHECKING:
    from pydantic import SecretStr

_MOST_BYTES: Final = 64 * 2**20
_MOST_BYTES_OF_ERRORS: Final = 2**20
_CONNECT_SECONDS: Final = 5.0
_MARKS: Final = "#>|-*+=~` "
"""Characters that mean something at the beginning of a line of Markdown."""


class MediaServer:
    """A server with an operation of OpenAI's interface. Safe for concurrent use."""

    def __init__(self, url: str, operation: str, *, model: str, api_key: SecretStr, seconds: float, kind: str) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            url: Its address, with or without the operation.
            operation: The path of the operation below `/v1`.
            model: The model that errors name.
            api_key: Sent as bearer token; empty for none.
            seconds: Time limit of a request.
            kind: What errors call it.

        Raises:
            LlmConfigInvalid: The address or the key cannot be used.
        """
        from echomind_lib.llms import LlmConfig
        from echomind_lib.llms.endpoints import normalise_endpoint
        from echomind_lib.llms.faults import Faults

        self._url = normalise_endpoint("openai", url.rstrip("/").removesuffix(operation)) + operation
        self._seconds = seconds
        key = api_key.get_secret_value()
        config = LlmConfig(provider="openai", model_id=model, endpoint=url, api_key=key or None)
        self._faults = Faults(config, self._url, kind=kind)
        self._headers = {"Accept": "application/json", "User-Agent": "echomind"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    async def post(self, **body: Any) -> bytes:
        """Returns the body of an answer.

        Args:
            body: `data` or `json`, as aiohttp takes them.

        Raises:
            LlmError: It cannot be reached, refuses the request, or takes too long.
        """
        import aiohttp

        from echomind_lib.llms import open_model_session
        from echomind_lib.network.addresses import AddressRefusedError
        from echomind_lib.network.bodies import read_at_most

        times = aiohttp.ClientTimeout(total=self._seconds, sock_connect=_CONNECT_SECONDS)
        try:
            async with (
                open_model_session() as http,
                http.post(self._url, headers=self._headers, timeout=times, allow_redirects=False, **body) as response,
            ):
                if response.status != 200:
                    reason = b""
                    with suppress(aiohttp.ClientError, TimeoutError):  # the status alone is enough
                        reason = await read_at_most(response, _MOST_BYTES_OF_ERRORS) or b""
                    raise self._faults.from_response(response.status, response.headers, reason)
                return await read_at_most(response, _MOST_BYTES) or b""
        except (aiohttp.ClientError, OSError, AddressRefusedError) as error:
            raise self._faults.from_exception(error) from error


def plain_line(text: str) -> str:
    """Returns a text as a line that begins no heading, list or table of Markdown."""
    return " ".join(text.split()).lstrip(_MARKS)

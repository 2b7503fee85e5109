"""Requests to models of other kinds: of embeddings, reranking, entailment, sound and images."""

from contextlib import suppress
from typing import Final

import aiohttp
import msgspec

from echomind_lib.llms.config import LlmConfig
from echomind_lib.llms.endpoints import ModelConnector
from echomind_lib.llms.faults import Faults
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.bodies import read_at_most

_MAX_ERROR_BYTES: Final = 64 * 1024


class ModelServer:
    """A model that takes JSON or forms, and answers JSON, at one address. Safe for concurrent use."""

    def __init__(
        self,
        url: str,
        http: aiohttp.ClientSession,
        *,
        protocol: str,
        model_id: str,
        endpoint: str,
        api_key: str | None,
        connect_seconds: float = 5.0,
    ) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            url: Where requests are sent.
            http: A session of `llms.open_model_session`. The caller closes it.
            protocol: What the server speaks, for messages.
            model_id: The model's name at the server.
            endpoint: The address as it was entered.
            api_key: Sent as bearer token.
            connect_seconds: Time limit of a connection.

        Raises:
            LlmConfigInvalid: The endpoint or the key cannot be used.
            TypeError: The session does not check the addresses that it connects to.
        """
        if not isinstance(http.connector, ModelConnector):
            raise TypeError("models need a session of echomind_lib.llms.open_model_session()")
        self.url, self._http, self._connect_seconds = url, http, connect_seconds
        llm = LlmConfig(provider="openai", model_id=model_id, endpoint=endpoint, api_key=api_key)
        self.faults = Faults(llm, url, kind=protocol)
        self._headers = {"Accept": "application/json", "User-Agent": "echomind"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"

    async def post(self, body: object, seconds: float, max_bytes: int) -> bytes:
        """Sends a request, and returns the answer, which is no page of HTML.

        Args:
            body: A form of aiohttp, or what is sent as JSON.
            seconds: Time limit.
            max_bytes: Maximum length of the answer.

        Raises:
            LlmError: The server cannot be reached or is too slow, refuses the request, or answers something else.
        """
        headers = self._headers
        data: aiohttp.FormData | bytes
        if isinstance(body, aiohttp.FormData):  # it has a content type of its own
            data = body
        else:
            data = msgspec.json.encode(body)
            headers = headers | {"Content-Type": "application/json"}
        try:
            async with self._http.post(
                self.url,
                data=data,
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=min(self._connect_seconds, seconds)),
                allow_redirects=False,
            ) as response:
                if response.status != 200:
                    reason = b""
                    with suppress(aiohttp.ClientError, TimeoutError):  # the status alone is enough
                        reason = await read_at_most(response, _MAX_ERROR_BYTES) or b""
                    raise self.faults.from_response(response.status, response.headers, reason)
                answer = await read_at_most(response, max_bytes)
        except (aiohttp.ClientError, TimeoutError, OSError, AddressRefusedError) as error:
            raise self.faults.from_exception(error) from error
        if answer is None:
            raise self.faults.broken(f"it is larger than {max_bytes} bytes")
        if answer.lstrip()[:1] == b"<":
            raise self.faults.not_a_model_server()
        return answer

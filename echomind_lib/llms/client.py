"""A chat model behind HTTP: sends a request, streams the answer, and retries before the first delta."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from typing import Any, Protocol

import aiohttp
import msgspec
import structlog
from yarl import URL

from echomind_lib.llms.answer import Answer, AnswerDecoder, ChatDelta, ProtocolError, ServerReportedError
from echomind_lib.llms.config import LlmConfig
from echomind_lib.llms.errors import LlmBadRequest, LlmError
from echomind_lib.llms.faults import Faults, refused_parameter
from echomind_lib.llms.tokens import estimate_usage
from echomind_lib.llms.types import ChatEvent, ChatRequest, Completion, TextDelta
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.sse import EventTooLargeError, SseParser
from echomind_lib.text import NAME_CHARACTERS, single_line

log = structlog.get_logger(__name__)

MAX_ERROR_BYTES = 64 * 1024
MAX_WHOLE_ANSWER_BYTES = 16 * 1024 * 1024
# Servers close the response just after its last event; waiting for that keeps the connection reusable.
CLOSING_SECONDS = 0.05


class WireFormat(Protocol):
    """The differences between providers: how a request is written and how an answer is parsed."""

    @property
    def path(self) -> str:
        """The operation, added to the endpoint."""

    @property
    def dispensable(self) -> tuple[str, ...]:
        """Parameters that are omitted if the model rejects them."""

    def headers(self) -> dict[str, str]:
        """Returns the headers for authentication and the API version."""

    def body(self, request: ChatRequest, refused: frozenset[str]) -> dict[str, Any]:
        """Returns the request as JSON, without the rejected parameters."""

    def decoder(self) -> AnswerDecoder:
        """Returns a decoder for one answer."""


class HttpChatModel:
    """A chat model at an HTTP endpoint. Made by `factory.create_chat_model`."""

    def __init__(self, config: LlmConfig, endpoint: str, wire: WireFormat, http: aiohttp.ClientSession) -> None:
        self.name = f"{config.provider}:{config.model_id}"
        self._model_id = config.model_id
        self._retries = config.retries
        self._url = URL(endpoint + wire.path)
        self._wire = wire
        self._http = http
        self._faults = Faults(config, endpoint)
        self._refused: frozenset[str] = frozenset()
        self._headers = {
            **wire.headers(),
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "echomind",
        }
        limits = config.timeouts
        self._timeout = aiohttp.ClientTimeout(
            total=limits.total, connect=limits.connect, sock_connect=limits.connect, sock_read=limits.idle
        )

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Sends a request; yields deltas and then exactly one `Completion`; see `types.ChatModel.stream`."""

        async def opened() -> tuple[AsyncGenerator[ChatEvent, None], ChatEvent]:
            events = self._attempt(request)
            return events, await anext(events)

        # An answer that has begun is not repeated: its reader has seen the first part.
        events, first = await self._retries.call(opened, _is_retryable, name=self.name)
        async with aclosing(events):
            yield first
            async for event in events:
                yield event

    async def _attempt(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Sends the request once, and immediately again without a parameter that the model rejects."""
        while True:
            refused = self._refused
            body = msgspec.json.encode(self._wire.body(request, refused))
            attempt = _Attempt(self._wire.decoder(), self._faults, request.read_every)
            failure: LlmError
            cause: Exception | None = None
            try:
                await attempt.open(
                    self._http.post(
                        self._url, data=body, headers=self._headers, timeout=self._timeout, allow_redirects=False
                    )
                )
                while deltas := await attempt.read():
                    for delta in deltas:
                        yield delta
                yield self._completion(request, attempt)
                return
            except LlmError as error:
                failure = error
            except (ProtocolError, EventTooLargeError) as error:
                failure, cause = self._faults.broken(str(error)), error
            except ServerReportedError as error:
                failure, cause = self._faults.from_reported(error.error), error
            except (aiohttp.ClientError, TimeoutError, OSError, AddressRefusedError) as error:
                failure, cause = self._faults.from_exception(error), error
            finally:
                attempt.close()
            if not self._omit_refused_parameter(failure, body, refused):
                raise failure from cause

    async def close(self) -> None:
        """Does nothing: connections belong to the session."""

    def _completion(self, request: ChatRequest, attempt: "_Attempt") -> Completion:
        answer = attempt.answer()
        text, reasoning = answer.text, answer.reasoning
        return Completion(
            text,
            reasoning,
            answer.tool_calls,
            answer.finish_reason or "stop",
            answer.usage or estimate_usage(request, text + reasoning, answer.tool_calls),
            single_line(answer.model, NAME_CHARACTERS) or self._model_id,
            answer.provider_state,
            attempt.began_at,
        )

    def _omit_refused_parameter(self, failure: LlmError, body: bytes, left_out: frozenset[str]) -> bool:
        """Returns whether the server rejects a parameter, which is then omitted from this and all later requests.

        Args:
            failure: The failure of the attempt.
            body: Body of the request.
            left_out: Parameters already omitted from it, so that none is tried twice.
        """
        if not isinstance(failure, LlmBadRequest) or failure.status not in {400, 422}:
            return False
        sent = tuple(name for name in self._wire.dispensable if f'"{name}":'.encode() in body)
        parameter = refused_parameter(failure.detail, sent)
        if parameter is None or parameter in left_out:
            return False
        if parameter not in self._refused:  # a concurrent request may have found it first
            self._refused |= {parameter}
            log.warning("chat model refuses a parameter, left out from now on", model=self.name, parameter=parameter)
        return True


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, LlmError) and error.retryable


class _Attempt:
    """One HTTP request and the reading of its answer."""

    __slots__ = (
        "_answer",
        "_decoder",
        "_ended",
        "_failure",
        "_faults",
        "_has_text",
        "_read_every",
        "_response",
        "_sse",
        "began_at",
    )

    def __init__(self, decoder: AnswerDecoder, faults: Faults, read_every: float) -> None:
        self.began_at: datetime | None = None
        """When the first part of the answer was received; comments that keep a connection open are no part of it."""
        self._answer: Answer | None = None
        self._failure: Exception | None = None
        self._decoder = decoder
        self._faults = faults
        self._sse: SseParser | None = None
        self._response: aiohttp.ClientResponse | None = None
        self._read_every = read_every
        self._has_text = False
        self._ended = asyncio.Event()

    async def open(self, posting: Awaitable[aiohttp.ClientResponse]) -> None:
        """Waits for the response's headers.

        Raises:
            LlmError: The status is not a success.
        """
        self._response = response = await posting
        if response.status != 200:
            body = b""
            with suppress(aiohttp.ClientError, TimeoutError, ProtocolError):  # the status alone is enough
                body = await self._read_to_end(b"", MAX_ERROR_BYTES)
            raise self._faults.from_response(response.status, response.headers, body)
        if self._read_every:
            response.content.on_eof(self._ended.set)

    async def read(self) -> list[ChatDelta]:
        """Returns the next deltas; none if the answer is complete. Deltas before an error are returned first."""
        if self._failure is not None:
            raise self._failure
        while self._answer is None:
            try:
                deltas = await self._step()
            except (ProtocolError, ServerReportedError) as error:
                deltas, self._failure = self._decoder.take(), error
                if not deltas:
                    raise
            if deltas:
                self._has_text = self._has_text or any(isinstance(delta, TextDelta) for delta in deltas)
                return deltas
        return []

    def answer(self) -> Answer:
        """Returns the complete answer, after `read` has returned all deltas."""
        assert self._answer is not None
        return self._answer

    def close(self) -> None:
        """Cancels the request. A connection whose response was read completely is reused."""
        if self._response is not None:
            self._response.close()

    async def _step(self) -> list[ChatDelta]:
        if self._decoder.ended:
            await self._wait_for_end_of_response()
        elif chunk := await self._receive():
            return await self._begin(chunk) if self._sse is None else self._feed(self._sse.feed(chunk))
        elif self._sse is not None and (payloads := self._sse.finish()):
            return self._feed(payloads)
        deltas, self._answer = self._decoder.finish()
        return deltas

    async def _begin(self, chunk: bytes) -> list[ChatDelta]:
        """Reads the first bytes, which distinguish a stream from a complete JSON answer and from a web page."""
        start = chunk.lstrip()[:1]
        if start in {b"{", b"["}:
            return self._decoder.feed_whole(await self._read_to_end(chunk, MAX_WHOLE_ANSWER_BYTES))
        if start == b"<":
            raise self._faults.not_a_model_server()
        self._sse = SseParser()
        return self._feed(self._sse.feed(chunk))

    def _feed(self, payloads: list[bytes]) -> list[ChatDelta]:
        if payloads and self.began_at is None:
            self.began_at = datetime.now(UTC)
        return self._decoder.feed(payloads)

    async def _receive(self) -> bytes:
        """Returns the next bytes; none at the end, or if the connection breaks after the model has finished."""
        assert self._response is not None
        content = self._response.content
        if self._read_every and self._has_text:
            await self._let_more_arrive()
            # What arrived before a broken connection is part of the answer, but the reader only raises the error then.
            if content.exception() is not None and (before := content._read_nowait(-1)):
                return before
        try:
            return await content.readany()
        except (aiohttp.ClientError, TimeoutError):
            if self._decoder.finished:
                return b""
            raise

    async def _let_more_arrive(self) -> None:
        """Waits until the next read is due, or the response has ended: reading each token by itself costs the most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._read_every):
                await self._ended.wait()

    async def _read_to_end(self, body: bytes, limit: int) -> bytes:
        assert self._response is not None
        while chunk := await self._response.content.readany():
            body += chunk
            if len(body) > limit:
                raise ProtocolError(f"it is larger than {limit} bytes")
        return body

    async def _wait_for_end_of_response(self) -> None:
        assert self._response is not None
        content = self._response.content
        if not content.is_eof():
            with suppress(aiohttp.ClientError, TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    while await content.readany():
                        pass

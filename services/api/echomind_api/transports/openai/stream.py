"""Server-sent events as OpenAI's clients read them."""

from typing import Any

from pydantic_core import to_json
from starlette.types import Scope, Send
from typing_extensions import override

from echomind_api.transports.openai.errors import OpenAiError, body_of, error_response, translated
from echomind_lib.contract.sse import HEARTBEAT_SECONDS, EventStream
from echomind_lib.errors import EchoMindError


class OpenAiStream(EventStream):
    """A stream whose failures have OpenAI's form: a status before the first byte, later an error object as its end.

    It begins with its first event, or after some time without any: clients act on the status of a refusal.
    """

    begin_seconds = HEARTBEAT_SECONDS

    def __init__(self, scope: Scope, send: Send) -> None:
        super().__init__(scope, send)
        self._error: OpenAiError | None = None

    async def data(self, value: Any) -> None:
        """Sends a chunk."""
        await self.emit(to_json(value))

    async def event(self, name: str, value: Any) -> None:
        """Sends a named event."""
        self._events += 1
        await self.begin()
        await self._write(b"event: %b\ndata: %b\n\n" % (name.encode(), to_json(value)))

    async def done(self) -> None:
        """Sends `[DONE]`, the end of a complete answer."""
        await self.emit(b"[DONE]")

    def fail(self, error: OpenAiError) -> None:
        """Makes this error the end of the stream."""
        self._error = error

    @override
    async def _end(self, error: EchoMindError | None) -> None:
        failure = self._error or error
        if failure is not None and not self._begun:
            await error_response(failure)(self._scope, _nothing, self._send)
            return
        await self.begin()
        if failure is not None:
            await self.data(body_of(failure if isinstance(failure, OpenAiError) else translated(failure)))
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


async def _nothing() -> dict[str, str]:
    return {"type": "http.disconnect"}

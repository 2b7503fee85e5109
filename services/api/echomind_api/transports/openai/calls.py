"""A route's request within the middlewares of a call, and its answer or error in OpenAI's form."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from fastapi import Request
from pydantic_core import to_json
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive

from echomind_api.calls.handwritten import run_call
from echomind_api.transports.openai.errors import OpenAiError, error_response
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware
from echomind_lib.errors import to_error

Action = Callable[[CallContext], Awaitable[Any]]


class Calls:
    """Answers requests of routes."""

    def __init__(self, middlewares: Sequence[Middleware], body_bytes: int) -> None:
        """Stores its dependencies.

        Args:
            middlewares: Middlewares of every call, the first outermost.
            body_bytes: Maximum size of a body.
        """
        self.middlewares, self._body_bytes = middlewares, body_bytes

    async def answer(self, request: Request, method: str, action: Action) -> Response:
        """Returns the response of a call whose body has been read; a client that leaves ends the call."""

        async def watched() -> Any:
            work = asyncio.ensure_future(run_call(request, method, self.middlewares, action))
            leaving = asyncio.ensure_future(left(request.receive))
            try:
                await asyncio.wait({work, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    raise ClientDisconnect
                return work.result()
            finally:
                work.cancel()
                leaving.cancel()
                await asyncio.gather(work, leaving, return_exceptions=True)

        return await _responded(watched())

    async def answer_upload(self, request: Request, method: str, action: Action) -> Response:
        """Returns the response of a call that reads the body itself."""
        return await _responded(run_call(request, method, self.middlewares, action))

    async def body(self, request: Request) -> bytes:
        """Reads the body.

        Raises:
            OpenAiError: It is too long.
        """
        parts, length = [], 0
        async for part in request.stream():
            length += len(part)
            if length > self._body_bytes:
                raise OpenAiError(f"The body has more than {self._body_bytes} bytes.", status=413)
            parts.append(part)
        return b"".join(parts)


async def _responded(work: Awaitable[Any]) -> Response:
    try:
        found = await work
    except ClientDisconnect:
        return Response(status_code=499)
    except OpenAiError as error:
        return error_response(error)
    except Exception as error:  # noqa: BLE001 - whatever a call raises is reported
        return error_response(to_error(error))
    return found if isinstance(found, Response) else Response(to_json(found), media_type="application/json")


async def left(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass

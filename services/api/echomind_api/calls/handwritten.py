"""Routes written by hand go through the same chain as the contract's: sign-in, limits, audit, metrics."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from starlette.requests import HTTPConnection

from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware, Proceed
from echomind_lib.contract.model import ProtoModel
from echomind_lib.contract.rest import metadata_of, peer_of

T = TypeVar("T")


async def run_call(
    connection: HTTPConnection,
    method: str,
    middlewares: Sequence[Middleware],
    action: Callable[[CallContext], Awaitable[T]],
) -> T:
    """Executes a function within the middlewares.

    Args:
        connection: The request.
        method: Name of the method in metrics and the audit log: `DocumentService/DownloadDocument`.
        middlewares: The middlewares, outermost first.
        action: The function to call, with the principal in the context.

    Raises:
        EchoMindError: An error of the middlewares or the action.
    """
    call = call_of(connection, f"echomind.public.v1.{method}")
    results: list[T] = []

    async def innermost() -> ProtoModel | None:
        results.append(await action(call))
        return None

    proceed: Proceed = innermost
    for middleware in reversed(middlewares):
        proceed = _around(middleware, call, proceed)
    await proceed()
    return results[0]


def call_of(connection: HTTPConnection, method: str) -> CallContext:
    """Returns the call context of a request or a WebSocket, before any middleware.

    Args:
        connection: The request, or the WebSocket.
        method: Full name of the method.
    """
    return CallContext(method, metadata_of(connection.scope), peer_of(connection.scope), transport="http")


def _around(middleware: Middleware, call: CallContext, inner: Proceed) -> Proceed:
    return lambda: middleware(call, inner)

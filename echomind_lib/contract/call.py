"""The context of a call, for methods and middlewares."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from echomind_lib.contract.model import ProtoModel


async def _begun() -> None:
    """Does nothing: a call that is no stream has nothing to begin."""


@dataclass
class CallContext:
    """One call, whichever transport it came by.

    Attributes:
        method: Full name, `echomind.public.v1.UserService/GetUser`.
        metadata: gRPC metadata or HTTP headers; names in lower case.
        peer: Address of the caller as the transport knows it.
        address: Address of the caller without its port, as told by a trusted proxy where there is one; empty until a
            middleware has found it out.
        transport: Its transport.
        deadline: When the caller stops waiting, on the clock of `time.monotonic`; None for never.
        principal: The caller; set by the sign-in middleware.
        request: The request; None until it is read, after the middlewares have started.
        begin: In a stream, tells the caller at once that the call is accepted: `await call.begin()`. Otherwise the
            first item does, or over HTTP a second without one.
    """

    method: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    peer: str = ""
    address: str = ""
    transport: Literal["grpc", "http"] = "grpc"
    deadline: float | None = None
    principal: Any = None
    request: ProtoModel | None = None
    begin: Callable[[], Awaitable[None]] = _begun


Proceed = Callable[[], Awaitable[ProtoModel | None]]
Middleware = Callable[[CallContext, Proceed], Awaitable[ProtoModel | None]]
"""Something around every call: `async def middleware(call, proceed): return await proceed()`.

`proceed` reads and checks the request and runs the method: to its result, or in a stream to its end, whose items have
then been sent (the result is None). So what must hold before anything is read, such as sign-in, comes before it.
"""

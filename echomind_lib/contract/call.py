"""The context of a call, for methods and middlewares."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from echomind_lib.contract.model import ProtoModel


async def _begun() -> None:
    """Does nothing: only streams have to be accepted."""


@dataclass
class CallContext:
    """One call, independent of its transport.

    Attributes:
        method: Full name, `echomind.public.v1.UserService/GetUser`.
        metadata: gRPC metadata or HTTP headers; names in lower case.
        peer: Address of the caller as the transport knows it.
        address: Address of the caller without its port, as reported by a trusted proxy, if any; empty until a
            middleware has set it.
        transport: Its transport.
        principal: The caller; set by the sign-in middleware.
        request: The request; None until it is read, after the middlewares have started.
        is_audited: Whether an entry of the audit log was written in it, other than of what it has read.
        begin: In a stream, tells the caller at once that the call is accepted: `await call.begin()`. Otherwise the
            first item does, or over HTTP a second without one.
    """

    method: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    peer: str = ""
    address: str = ""
    transport: Literal["grpc", "http"] = "grpc"
    principal: Any = None
    request: ProtoModel | None = None
    is_audited: bool = False
    begin: Callable[[], Awaitable[None]] = _begun


Proceed = Callable[[], Awaitable[ProtoModel | None]]
Middleware = Callable[[CallContext, Proceed], Awaitable[ProtoModel | None]]
"""Code around every call: `async def middleware(call, proceed): return await proceed()`.

`proceed` reads and validates the request and executes the method, up to its result, or the end of its stream, whose
items have been sent by then (the result is None). So checks that must precede reading, such as sign-in, come before it.
"""

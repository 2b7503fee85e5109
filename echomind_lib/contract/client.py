"""The client of the API: typed calls, based on the proto descriptors alone.

    run = await client.call(RunService.get_run, {"id": run_id})
    async for event in client.stream(RunService.stream_session_events, {"chat_session_id": 7}): ...

A method is given as a member of the generated interface that services implement, so that a type checker knows the types
of its request and response. The descriptors define its route, path, query and body, or its gRPC path.
"""

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing
from functools import cache
from typing import Any, Final, Protocol, TypeVar

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from pydantic import ValidationError

from echomind_lib.contract.binding import Method
from echomind_lib.contract.call import CallContext
from echomind_lib.contract.call_errors import AnswerError, ConnectionLostError, NotRunningError
from echomind_lib.contract.http_call import Json, http_rule
from echomind_lib.contract.model import Empty, ProtoModel, UpdateModel
from echomind_lib.errors import EchoMindError
from echomind_lib.process.retries import RetryPolicy

Request = TypeVar("Request", bound=ProtoModel)
Response = TypeVar("Response", bound=ProtoModel)
Unary = Callable[[Any, Request, CallContext], Coroutine[Any, Any, Response]]
"""A method of a generated interface, `RunService.get_run`."""
Streaming = Callable[[Any, Request, CallContext], AsyncIterator[Response | Message]]
"""A method that streams, `RunService.stream_session_events`; services may yield messages, clients read models."""

LARGEST_PAGE: Final = 1000
RESTART: Final = RetryPolicy(first=0.1, longest=2.0, seconds=60.0)
"""Retries while a server restarts, which takes a few seconds, or is overloaded."""


class Transport(Protocol):
    """A transport: `RestTransport` or `GrpcTransport`. Requests are ProtoJSON, responses ProtoJSON or messages."""

    async def unary(self, method: MethodDescriptor, request: Json) -> bytes | Message:
        """Calls a method."""
        ...

    def stream(self, method: MethodDescriptor, request: Json) -> AsyncGenerator[bytes | Message]:
        """Calls a method that streams."""
        ...


class Client:
    """Calls the API over one transport, with the transport's credential."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def call(
        self,
        method: Unary[Request, Response],
        request: Request | Mapping[str, Any] | None = None,
        *,
        retries: RetryPolicy | None = None,
    ) -> Response:
        """Calls a method.

        Args:
            method: The method, as `RunService.get_run`.
            request: Its request, or its fields by their names in Python. By default, the mask of an update contains the
                fields that are set.
            retries: Number of retries of a call that fails in transit, or because the server is busy.

        Raises:
            EchoMindError: The server returned an error.
            CallError: No response has arrived.
            pydantic.ValidationError: The request is not valid; nothing was sent.
            ValueError: Retries are requested for a method that is not idempotent.
        """
        descriptor, known = lookup(method)
        fields = _fields(known, request)

        async def once() -> Any:
            return _read(known, await self._transport.unary(descriptor, fields))

        if retries is None:
            answer: Response = await once()
            return answer
        if not is_repeatable(descriptor, fields):
            raise ValueError(f"{descriptor.full_name} may not be repeated: it has no request id")
        return await retries.call(once, is_transient)

    async def collect(
        self, method: Unary[Request, Response], request: Mapping[str, Any] | None = None, *, limit: int | None = None
    ) -> Response:
        """Reads a list page by page.

        Args:
            method: A method with `page_size` and `page_token`.
            request: The other fields of its request.
            limit: Maximum number of items; None for all.

        Returns:
            The first page's message with the items of all pages. Its `next_page_token` is where the list goes on; empty
            if these are all.

        Raises:
            EchoMindError, CallError, pydantic.ValidationError: As in `call`.
        """
        fields = dict(request or {})
        maximum = sys.maxsize if limit is None else limit
        whole: Any = await self.call(method, fields | {"page_size": min(maximum, LARGEST_PAGE)})
        items = items_of(whole)
        while whole.next_page_token and len(items) < maximum:
            following = {"page_size": min(maximum - len(items), LARGEST_PAGE), "page_token": whole.next_page_token}
            page: Any = await self.call(method, fields | following)
            items += items_of(page)
            whole.next_page_token = page.next_page_token
        del items[maximum:]
        found: Response = whole
        return found

    async def stream(
        self, method: Streaming[Request, Response], request: Request | Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Response]:
        """Calls a method that streams, and yields its items until it ends.

        Raises:
            EchoMindError: The server returned an error, or ended the stream with one.
            CallError: No response has arrived, or the connection broke.
            pydantic.ValidationError: The request is not valid; nothing was sent.
        """
        descriptor, known = lookup(method)
        async with aclosing(self._transport.stream(descriptor, _fields(known, request))) as items:
            async for item in items:
                yield _read(known, item)


@cache
def lookup(method: Callable[..., Any]) -> tuple[MethodDescriptor, Method]:
    """Returns the descriptors of a method of a generated interface, `RunService.get_run`."""
    interface, _, attribute = method.__qualname__.partition(".")
    service = getattr(sys.modules[method.__module__], interface)
    known = next(known for known in service.__methods__ if known.attribute == attribute)
    return service.__service__.methods_by_name[known.name], known


def is_repeatable(method: MethodDescriptor, request: Json) -> bool:
    """Returns whether a call may be repeated if it is unknown whether the first one was executed.

    It may if it only reads, replaces a whole resource, is declared idempotent, or has a `request_id`.
    """
    rule = http_rule(method)
    return (
        (rule is not None and rule.verb in {"GET", "PUT"})
        or method.GetOptions().idempotency_level != MethodOptions.IDEMPOTENCY_UNKNOWN
        or bool(request.get("requestId"))
    )


def is_transient(failure: BaseException) -> bool:
    """Returns whether the same call may succeed a moment later."""
    if isinstance(failure, EchoMindError):
        return failure.retryable
    return isinstance(failure, ConnectionLostError | NotRunningError)


def _fields(method: Method, given: ProtoModel | Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns a request in ProtoJSON: its set fields, or for an update the fields in its mask."""
    if not isinstance(given, ProtoModel):
        fields = dict(given or {})
        if issubclass(method.request, UpdateModel) and "update_mask" not in fields:
            fields["update_mask"] = sorted(_set_fields(fields[method.request.__resource__[0]]))
        given = method.request.model_validate(fields)
    return given.model_dump(mode="json", exclude_unset=True, exclude_none=True)


def _set_fields(resource: ProtoModel | Mapping[str, Any]) -> set[str]:
    return resource.model_fields_set if isinstance(resource, ProtoModel) else set(resource)


def _read(method: Method, answer: bytes | Message) -> Any:
    if method.response is Empty:  # ignores fields that a later server may add
        return Empty()
    try:
        if isinstance(answer, bytes):
            return method.response.model_validate_json(answer)
        return method.response.from_pb(answer)
    except ValidationError as error:
        fault = error.errors()[0]
        raise AnswerError(
            "The server's answer is not understood: client and server may be of different versions "
            f"({fault['msg']} at {'.'.join(map(str, fault['loc'])) or 'the top'})."
        ) from error


def items_of(page: ProtoModel) -> list[Any]:
    """Returns the items of a list response, its only repeated field."""
    return next(value for value in page.__dict__.values() if isinstance(value, list))

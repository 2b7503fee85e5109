"""Binds the methods of generated service interfaces to middlewares."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from echomind_lib.contract.behavior import INPUT_ONLY, OUTPUT_ONLY, clear, drop, immutable, paths_with
from echomind_lib.contract.call import CallContext, Middleware
from echomind_lib.contract.json_data import FROM_CALLER
from echomind_lib.contract.model import ProtoModel, UpdateModel
from echomind_lib.contract.page_tokens import PageTokens
from echomind_lib.contract.text import refuse_nul
from echomind_lib.errors import ValidationFailedError, validation_failed


@dataclass(frozen=True)
class Method:
    """One method of a service.

    Attributes:
        name: Its name in the proto file, `GetUser`.
        attribute: Its name in Python, `get_user`.
        request: Type of its request.
        response: Type of its response, or of each item if it streams.
        streams: Whether it streams.
    """

    name: str
    attribute: str
    request: type[ProtoModel]
    response: type[ProtoModel]
    streams: bool = False


class Service(Protocol):
    """Base of every generated service interface."""

    __service__: ClassVar[ServiceDescriptor]
    __methods__: ClassVar[tuple[Method, ...]]


Item = ProtoModel | Message
Read = Callable[[], Awaitable[dict[str, Any]]]
Emit = Callable[[Item], Awaitable[None]]
Handler = Callable[[CallContext, Read, Emit], Awaitable[ProtoModel | None]]
"""Executes a call: `read` returns the request's fields on demand, `emit` sends an item of a stream."""


def bind(
    service: Service, method: Method, middlewares: Sequence[Middleware], page_tokens: PageTokens | None = None
) -> Handler:
    """Wraps a method in middlewares, the first outermost.

    Of requests, the fields that the server sets are ignored, and of responses, the fields that are only written are
    left out: `OUTPUT_ONLY` and `INPUT_ONLY` of `google.api.field_behavior`. An update may repeat the value of an
    `IMMUTABLE` field, which is compared with what the service's Get method returns to the caller; another is refused.

    Args:
        service: The object that implements the method.
        method: The method.
        middlewares: Its middlewares.
        page_tokens: Signs the page tokens of a list.

    Raises:
        ValueError: The method is a list, and `page_tokens` is missing; or it updates a resource with immutable fields,
            and the service has no Get method.
    """
    function = getattr(service, method.attribute)
    tokens = page_tokens if "page_token" in method.request.model_fields else None
    if tokens is None and "page_token" in method.request.model_fields:
        raise ValueError(f"{full_name(service, method)} has page tokens: give `page_tokens`")

    ignored = paths_with(method.request.__proto__.DESCRIPTOR, OUTPUT_ONLY)
    hidden = paths_with(method.response.__proto__.DESCRIPTOR, INPUT_ONLY)
    keep_immutable = _keep_immutable(service, method)

    async def call_method(call: CallContext, read: Read, emit: Emit) -> ProtoModel | None:
        data = await read()
        refuse_nul(data)
        drop(data, ignored)
        try:
            request = method.request.model_validate(data, context=FROM_CALLER)
        except ValidationError as error:
            raise validation_failed(error, method.request) from error
        call.request = request
        if keep_immutable is not None:
            await keep_immutable(request, call)
        if tokens is not None:
            opened = tokens.open(call, request)
            page: ProtoModel = await function(opened, call)
            tokens.seal(call, request, page)
            clear(page, hidden)
            return page
        if not method.streams:
            result: ProtoModel = await function(request, call)
            clear(result, hidden)
            return result
        items = function(request, call)
        try:
            async for item in items:
                await emit(item)
        finally:
            if isinstance(items, AsyncGenerator):
                await items.aclose()
        return None

    handler: Handler = call_method
    for middleware in reversed(middlewares):
        handler = _around(middleware, handler)
    return handler


def _keep_immutable(service: Service, method: Method) -> Callable[[Any, CallContext], Awaitable[None]] | None:
    """Returns the check of an update's immutable fields, which it removes from the mask; None if it has none."""
    if not issubclass(method.request, UpdateModel):
        return None
    name, model = method.request.__resource__
    fields = immutable(model.__proto__.DESCRIPTOR)
    if not fields:
        return None
    getter = f"get_{method.attribute.removeprefix('update_')}"
    get = next((each for each in interface_of(service).__methods__ if each.attribute == getter), None)
    if get is None:
        raise ValueError(f"{full_name(service, method)} has immutable fields: the service needs `{getter}`")
    read_present = getattr(service, getter)

    async def check(request: Any, call: CallContext) -> None:
        given = [field for field in request.update_mask or () if field in fields]
        if not given:
            return
        present = await read_present(get.request.model_validate({"id": request.id}), call)
        resource = getattr(request, name)
        if changed := [field for field in given if getattr(resource, field) != getattr(present, field)]:
            rule = "cannot be changed after creation"
            paths = [f"{to_camel(name)}.{to_camel(field)}" for field in changed]
            raise ValidationFailedError(f"{', '.join(paths)}: {rule}.", **dict.fromkeys(paths, rule))
        request.update_mask = [field for field in request.update_mask if field not in fields]

    return check


def _around(middleware: Middleware, inner: Handler) -> Handler:
    def handler(call: CallContext, read: Read, emit: Emit) -> Awaitable[ProtoModel | None]:
        return middleware(call, partial(inner, call, read, emit))

    return handler


def interface_of(service: Service) -> type[Service]:
    """Returns the generated interface that an object implements."""
    return next(kind for kind in type(service).__mro__ if "__methods__" in vars(kind))


def descriptor_of(service: Service, method: Method) -> MethodDescriptor:
    """Returns the descriptor of a method."""
    return service.__service__.methods_by_name[method.name]


def full_name(service: Service, method: Method) -> str:
    """Returns the full name of a method, as in `CallContext.method`."""
    return f"{service.__service__.full_name}/{method.name}"

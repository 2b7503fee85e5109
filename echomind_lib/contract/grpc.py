"""Services over gRPC."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from echomind_lib.contract.binding import Handler, Item, Method, Service, bind, full_name
from echomind_lib.contract.call import CallContext, Middleware
from echomind_lib.contract.model import ProtoModel
from echomind_lib.contract.page_tokens import PageTokens
from echomind_lib.errors import ValidationFailedError, to_error
from echomind_lib.errors.grpc import abort

Context = Any


def grpc_handler(
    service: Service, *middlewares: Middleware, page_tokens: PageTokens | None = None
) -> grpc.GenericRpcHandler:
    """Binds a service to gRPC, for `server.add_generic_rpc_handlers([...])`.

    Args:
        service: Object of a generated service interface.
        middlewares: Middlewares of every call, the first outermost.
        page_tokens: Signs the page tokens of lists.
    """
    methods = {method.name: _method(service, method, middlewares, page_tokens) for method in service.__methods__}
    return grpc.method_handlers_generic_handler(service.__service__.full_name, methods)


def _method(
    service: Service, method: Method, middlewares: tuple[Middleware, ...], page_tokens: PageTokens | None
) -> "grpc.RpcMethodHandler[Any, Any]":
    run = bind(service, method, middlewares, page_tokens)
    name = full_name(service, method)
    # Requests and responses are bytes here: a message that cannot be parsed is then the caller's error, not the
    # server's. Every method takes a stream of requests, of which unary methods read one: the library would receive a
    # unary request before it calls us, and receives nothing of a stream until `read`, after sign-in. On the wire both
    # are the same.
    if method.streams:
        return grpc.stream_stream_rpc_method_handler(_stream(method, name, run))
    return grpc.stream_unary_rpc_method_handler(_unary(method, name, run))


def _unary(method: Method, name: str, run: Handler) -> Any:
    async def emit(_: Item) -> None:
        raise AssertionError("only a stream has items")

    async def unary(messages: AsyncIterator[bytes], context: Context) -> bytes:
        try:
            result = await run(_call(name, context), _reader(method.request, messages), emit)
            return _serialize(result)
        except Exception as error:  # noqa: BLE001 - whatever a method raises is reported
            await abort(context, to_error(error))

    return unary


def _stream(method: Method, name: str, run: Handler) -> Any:
    async def stream(messages: AsyncIterator[bytes], context: Context) -> None:
        begun = False

        async def begin() -> None:
            nonlocal begun
            if not begun:
                begun = True
                await context.send_initial_metadata(())

        async def emit(item: Item) -> None:
            nonlocal begun
            begun = True
            await context.write(_serialize(item))

        call = _call(name, context)
        call.begin = begin
        try:
            await run(call, _reader(method.request, messages), emit)
        except Exception as error:  # noqa: BLE001 - whatever a method raises is reported
            await abort(context, to_error(error))

    return stream


def _call(name: str, context: Context) -> CallContext:
    return CallContext(
        method=name,
        metadata={key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)},
        peer=context.peer(),
    )


def _reader(model: type[ProtoModel], messages: AsyncIterator[bytes]) -> Any:
    async def read() -> dict[str, Any]:
        data = await anext(messages, None)
        if data is None:
            raise ValidationFailedError("The call has no message.")
        try:
            message = model.__proto__.FromString(data)
        except DecodeError as error:
            name = model.__proto__.DESCRIPTOR.full_name
            raise ValidationFailedError(f"The request is no {name}, or is nested too deeply.") from error
        try:
            return model.read_pb(message)
        except (
            ValueError,
            OverflowError,
            json_format.Error,
        ) as error:  # a time outside years 1 to 9999, NaN in a Struct
            raise ValidationFailedError("the request has a time or a number out of range") from error

    return read


def _serialize(item: Item | None) -> bytes:
    if isinstance(item, ProtoModel):
        item = item.to_pb()
    if not isinstance(item, Message):
        raise TypeError(f"a method has returned {type(item)}")
    data: bytes = item.SerializeToString()
    return data

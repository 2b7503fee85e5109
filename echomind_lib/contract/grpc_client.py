"""Calls over gRPC."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import grpc
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from echomind_lib.contract.call_errors import CallError, ConnectionLostError, ForeignServerError, NotRunningError
from echomind_lib.contract.http_call import Json
from echomind_lib.errors import EchoMindError
from echomind_lib.errors.grpc import from_rpc_error


class GrpcTransport:
    """Calls one server over gRPC."""

    def __init__(self, channel: grpc.aio.Channel, metadata: Sequence[tuple[str, str]] = ()) -> None:
        """Initializes the transport with a channel that the caller closes.

        Args:
            channel: The connection.
            metadata: Sent with every call, for example the credential.
        """
        self._channel = channel
        self._metadata = tuple(metadata)

    async def unary(self, method: MethodDescriptor, request: Json) -> Message:
        """Calls a method; returns its message.

        Raises:
            EchoMindError: The server returned an error.
            CallError: No response has arrived.
        """
        path, message, answer = _of(method, request)
        call = self._channel.unary_unary(path, type(message).SerializeToString, answer.FromString)
        try:
            found: Message = await call(message, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            raise _error(error) from error
        return found

    async def stream(self, method: MethodDescriptor, request: Json) -> AsyncGenerator[Message]:
        """Calls a method that streams; yields its messages until it ends.

        Raises:
            EchoMindError: The server returned an error, or ended the stream with one.
            CallError: No response has arrived, or the connection broke.
        """
        path, message, answer = _of(method, request)
        stream = self._channel.unary_stream(path, type(message).SerializeToString, answer.FromString)
        call = stream(message, metadata=self._metadata)
        try:
            async for item in call:
                yield item
        except grpc.aio.AioRpcError as error:
            raise _error(error) from error
        finally:
            call.cancel()


def _of(method: MethodDescriptor, request: Json) -> tuple[str, Message, Any]:
    """Returns a method's path, its request as a message, and the class of its response."""
    message = message_factory.GetMessageClass(method.input_type)()
    json_format.ParseDict(dict(request), message)
    path = f"/{method.containing_service.full_name}/{method.name}"
    return path, message, message_factory.GetMessageClass(method.output_type)


def _error(error: grpc.aio.AioRpcError) -> EchoMindError | CallError:
    if (refused := from_rpc_error(error)) is not None:
        return refused
    what = error.details() or error.code().name
    if error.code() is grpc.StatusCode.UNAVAILABLE and "connect" in what.lower():
        return NotRunningError(f"Nothing listens there: {what}.")
    if error.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED}:
        return ConnectionLostError(f"The connection broke: {what}.")
    return ForeignServerError(f"What answers does not speak EchoMind's API: {error.code().name}: {what}.")

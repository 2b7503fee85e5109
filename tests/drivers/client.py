"""A client of both transports that knows nothing but the contract's descriptors."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
import grpc
from google.api import annotations_pb2  # type: ignore[import-untyped]
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from echomind_lib.errors import EchoMindError
from echomind_lib.errors.grpc import from_rpc_error
from echomind_lib.errors.http import from_body
from echomind_lib.pb.echomind.public.v1 import (
    api_key_service_pb2,
    assistant_service_pb2,
    auth_service_pb2,
    chat_message_service_pb2,
    chat_session_service_pb2,
    checkpoint_service_pb2,
    connector_service_pb2,
    document_service_pb2,
    embedding_model_service_pb2,
    llm_service_pb2,
    run_service_pb2,
    search_service_pb2,
    todo_service_pb2,
    user_service_pb2,
)

Transport = Literal["rest", "grpc"]
TRANSPORTS: tuple[Transport, ...] = ("rest", "grpc")

_FILES = (
    api_key_service_pb2,
    assistant_service_pb2,
    auth_service_pb2,
    chat_message_service_pb2,
    chat_session_service_pb2,
    checkpoint_service_pb2,
    connector_service_pb2,
    document_service_pb2,
    embedding_model_service_pb2,
    llm_service_pb2,
    run_service_pb2,
    search_service_pb2,
    todo_service_pb2,
    user_service_pb2,
)
METHODS: dict[str, MethodDescriptor] = {
    f"{service.name}/{method.name}": method
    for file in _FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Every method of the public contract, as `UserService/GetUser`."""


def http_rule(method: MethodDescriptor) -> tuple[str, str, str] | None:
    """A method's verb, path template and body; None when it is gRPC's alone."""
    rule = method.GetOptions().Extensions[annotations_pb2.http]
    verb = rule.WhichOneof("pattern")
    return None if verb is None else (verb.upper(), getattr(rule, verb), rule.body)


@dataclass
class Client:
    """Calls a gateway as somebody."""

    http_url: str
    channel: grpc.aio.Channel
    session: aiohttp.ClientSession
    key: str = ""
    user_id: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    def browser(self, token: str, user_id: int = 0) -> "Client":
        """The same client with the cookie of a web session, as a page of the web UI sends it."""
        browser = self.as_("", user_id)
        browser.headers = {"Cookie": f"{self.cookie_name}={token}", "X-EchoMind-CSRF": "1"}
        return browser

    @property
    def cookie_name(self) -> str:
        """The session cookie's, which is bound to the port."""
        return f"echomind_session_{self.http_url.rpartition(':')[2]}"

    def as_(self, key: str, user_id: int = 0) -> "Client":
        """The same client with another key."""
        return Client(self.http_url, self.channel, self.session, key, user_id)

    async def call(self, name: str, request: dict[str, Any] | None = None, via: Transport = "grpc") -> dict[str, Any]:
        """Calls a method with a request in ProtoJSON.

        Raises:
            EchoMindError: What the gateway refused with.
        """
        call = self._call_grpc if via == "grpc" else self._call_rest
        return await call(METHODS[name], request or {})

    async def _call_grpc(self, method: MethodDescriptor, request: dict[str, Any]) -> dict[str, Any]:
        message = message_factory.GetMessageClass(method.input_type)()
        json_format.ParseDict(request, message)
        answer = message_factory.GetMessageClass(method.output_type)
        path = f"/{method.containing_service.full_name}/{method.name}"
        metadata = (("authorization", f"Bearer {self.key}"),) if self.key else ()
        try:
            if method.server_streaming:
                stream = self.channel.unary_stream(path, type(message).SerializeToString, answer.FromString)
                call = stream(message, metadata=metadata)
                first = await call.read()
                call.cancel()
                return json_format.MessageToDict(first) if isinstance(first, Message) else {}
            unary = self.channel.unary_unary(path, type(message).SerializeToString, answer.FromString)
            return json_format.MessageToDict(await unary(message, metadata=metadata))
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) or AssertionError(f"not an error of EchoMind: {error}") from error

    async def _call_rest(self, method: MethodDescriptor, request: dict[str, Any]) -> dict[str, Any]:
        rule = http_rule(method)
        assert rule is not None, f"{method.full_name} has no route"
        verb, template, body_field = rule
        rest = dict(request)

        def fill(match: re.Match[str]) -> str:
            return str(rest.pop(_json_name(match[1])))

        path = re.sub(r"\{(\w+)[^}]*\}", fill, template)
        body: Any = None
        if body_field == "*":
            body, rest = rest, {}
        elif body_field:
            body = rest.pop(_json_name(body_field), {})
            if mask := rest.pop("updateMask", None):
                body = {name: body.get(name) for name in mask.split(",")}
        query = [
            (name, str(item).lower() if isinstance(item, bool) else str(item))
            for name, value in rest.items()
            for item in (value if isinstance(value, list) else [value])
        ]
        headers = self.headers | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        async with self.session.request(
            verb, self.http_url + path, json=body, params=query, headers=headers
        ) as response:
            if response.status >= 300:
                raise error_of(await response.json())
            if method.server_streaming:
                return {}
            answer: dict[str, Any] = await response.json()
            return answer


def error_of(body: Any) -> EchoMindError:
    """The error in a response's body."""
    error = from_body(body)
    assert error is not None, f"not an error of EchoMind: {body}"
    return error


def _json_name(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)

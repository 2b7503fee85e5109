"""Somebody who calls a gateway over both transports with requests in ProtoJSON, wrong ones too."""

import json
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

import aiohttp
import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from echomind_lib.contract.grpc_client import GrpcTransport
from echomind_lib.contract.rest_client import RestTransport
from echomind_lib.errors import EchoMindError
from echomind_lib.errors.body import from_body
from echomind_lib.models import public

Transport = Literal["rest", "grpc"]
TRANSPORTS: tuple[Transport, ...] = ("rest", "grpc")

METHODS: dict[str, MethodDescriptor] = {
    f"{service.name}/{method.name}": method
    for name in public.__all__
    if (service := getattr(getattr(public, name), "__service__", None)) is not None
    for method in service.methods
}
"""Every method of the public contract, as `UserService/GetUser`."""
SERVICES = {service: list(methods) for service, methods in groupby(METHODS, lambda method: method.partition("/")[0])}
"""The methods of each service."""


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
        """Returns the same client with the cookie of a web session, as a page of the web UI sends it."""
        browser = self.as_("", user_id)
        browser.headers = {"Cookie": f"{self.cookie_name}={token}", "X-EchoMind-CSRF": "1"}
        return browser

    @property
    def cookie_name(self) -> str:
        """The session cookie's, which is bound to the port."""
        return f"echomind_session_{self.http_url.rpartition(':')[2]}"

    def as_(self, key: str, user_id: int = 0) -> "Client":
        """Returns the same client with another key."""
        return Client(self.http_url, self.channel, self.session, key, user_id)

    def rest(self) -> RestTransport:
        """REST with the client's credential."""
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return RestTransport(self.http_url, self.session, self.headers | key)

    def grpc(self) -> GrpcTransport:
        """gRPC with the client's key."""
        return GrpcTransport(self.channel, (("authorization", f"Bearer {self.key}"),) if self.key else ())

    async def call(self, name: str, request: dict[str, Any] | None = None, via: Transport = "grpc") -> dict[str, Any]:
        """Calls a method with a request in ProtoJSON; of a stream, returns its first item.

        Raises:
            EchoMindError: What the gateway refused with.
        """
        transport = self.grpc() if via == "grpc" else self.rest()
        method = METHODS[name]
        if not method.server_streaming:
            return _json(await transport.unary(method, request or {}))
        async with aclosing(transport.stream(method, request or {})) as items:
            return _json(await anext(items))


def _json(answer: bytes | Message) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer) if isinstance(answer, bytes) else json_format.MessageToDict(answer)
    return found


def error_of(body: Any) -> EchoMindError:
    """Returns the error in a response's body."""
    error = from_body(body)
    assert error is not None, f"not an error of EchoMind: {body}"
    return error

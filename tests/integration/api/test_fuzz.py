"""Random messages to every method cause no internal error."""

import random
import re
import string
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import grpc
import pytest
import pytest_asyncio
from google.protobuf import json_format, message_factory, struct_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from echomind_api.main import Gateway
from echomind_lib.contract.http_call import http_rule
from echomind_lib.errors import EchoMindError
from echomind_lib.errors.grpc import from_rpc_error
from tests.drivers.client import METHODS, SERVICES, TRANSPORTS, Client

MESSAGES_A_METHOD = 4
"""Over each transport."""
FD = FieldDescriptor
TEXTS = (
    *("", "a", "-", "0", "name", "a b", "\x00", "x\x00y", "ü" * 300, "x" * 3000, "../../x", "%s", "'; --", "{query}"),
    *("2026-01-01T00:00:00Z", "\u202e", "\U0001f600", "a@b", "http://127.0.0.1:1", "ftp://x", "\n", "\ud7ff"),
)
# Ids that do not exist, so that what is stored meets no request by chance.
NUMBERS = (0, -1, 500_000, 32_767, 32_768, 2**31 - 1, -(2**31))
LONGS = (*NUMBERS, 2**31, 2**53, 2**63 - 1, -(2**63))


def text(chance: random.Random) -> str:
    return chance.choice(TEXTS) if chance.random() < 0.7 else "".join(chance.choices(string.printable, k=8))


def value(field: FieldDescriptor, chance: random.Random) -> Any:
    """Returns a value for one field."""
    if field.type == FD.TYPE_STRING:
        return text(chance)
    if field.type == FD.TYPE_BYTES:
        return chance.randbytes(chance.choice((0, 1, 40)))
    if field.type == FD.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type in (FD.TYPE_DOUBLE, FD.TYPE_FLOAT):
        return chance.choice((0.0, -1.0, 0.5, 1e300, float("inf"), float("nan")))
    if field.type == FD.TYPE_ENUM:
        return chance.choice([0, 1, 2, 3, 99])
    return chance.choice(LONGS if field.type in (FD.TYPE_INT64, FD.TYPE_SINT64) else NUMBERS)


def message(descriptor: Descriptor, chance: random.Random, depth: int = 0) -> Message:
    """Returns a message with some of its fields set."""
    made = message_factory.GetMessageClass(descriptor)()
    if descriptor.full_name == "google.protobuf.Timestamp":
        made.seconds = chance.choice((0, 1, -62_135_596_800, 253_402_300_799, 2**40))  # type: ignore[attr-defined]
        return made
    if isinstance(made, struct_pb2.Struct):
        odd: list[Any] = [None, 1e308, "\x00", [1, {"a": "b"}], {}]
        made.update({text(chance): chance.choice(odd) for _ in range(2)})
        return made
    for field in descriptor.fields:
        if chance.random() < 0.4 or depth > 3:
            continue
        if field.message_type is None:
            values = [value(field, chance) for _ in range(3)]
        elif field.message_type.GetOptions().map_entry:
            key, item = field.message_type.fields
            getattr(made, field.name).update({value(key, chance): value(item, chance) for _ in range(3)})
            continue
        elif field.name == "update_mask":
            resource = next(other.message_type for other in descriptor.fields if other.message_type is not None)
            names = [other.name for other in resource.fields]
            getattr(made, field.name).paths.extend(chance.sample(names, min(len(names), 3)))
            continue
        else:
            values = [message(field.message_type, chance, depth + 1) for _ in range(2)]
        if field.is_repeated:
            getattr(made, field.name).extend(values)
        elif field.message_type is not None:
            getattr(made, field.name).CopyFrom(values[0])
        else:
            setattr(made, field.name, values[0])
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tester(spare_gateway: Gateway, spare_key: str) -> AsyncIterator[Client]:
    """Somebody who may do everything, so that no check of roles is in the way."""
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        grpc.aio.insecure_channel(spare_gateway.grpc_address) as channel,
    ):
        yield Client(spare_gateway.http_url, channel, session).as_(spare_key, 1)


@pytest.mark.parametrize("service", SERVICES)
async def test_nothing_fails_inside(tester: Client, service: str) -> None:
    for method in SERVICES[service]:
        over_both = TRANSPORTS if http_rule(METHODS[method]) is not None else ("grpc",)
        for via in over_both:
            chance, fields = random.Random(f"{method} {via}"), METHODS[method].input_type.fields
            for _ in range(MESSAGES_A_METHOD if fields else 1):
                sent = message(METHODS[method].input_type, chance)
                if via == "grpc":
                    reason = await send_bytes(tester, method, sent.SerializeToString())
                else:
                    reason = await send_json(tester, method, sent)
                assert reason != "INTERNAL", (method, via, sent)


@pytest.mark.parametrize("service", SERVICES)
async def test_bytes_that_are_no_message(tester: Client, service: str) -> None:
    for method in SERVICES[service]:
        chance = random.Random(method)
        for data in (b"\xff", b"\xff\xff\xff", chance.randbytes(5), chance.randbytes(50)):
            assert await send_bytes(tester, method, data) != "INTERNAL", (method, data)


async def send_bytes(tester: Client, method: str, data: bytes) -> str:
    """Sends a request as it is. Gives the reason of the refusal, or nothing."""
    descriptor = METHODS[method]
    path = f"/{descriptor.containing_service.full_name}/{descriptor.name}"
    metadata = (("authorization", f"Bearer {tester.key}"),)
    try:
        if descriptor.server_streaming:
            watch: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = tester.channel.unary_stream(path)
            stream = watch(data, metadata=metadata)
            await stream.read()
            stream.cancel()
        else:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = tester.channel.unary_unary(path)
            await call(data, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        refused = from_rpc_error(error)
        return refused.reason if refused else f"not an error of EchoMind: {error.code()} {error.details()}"
    return ""


async def send_json(tester: Client, method: str, sent: Message) -> str:
    """Sends a request as JSON. Gives the reason of the refusal, or nothing."""
    try:
        request = json_format.MessageToDict(sent)
    except json_format.Error:
        return ""  # a time that JSON cannot represent
    rule = http_rule(METHODS[method])
    for name in re.findall(r"{(\w+)}", rule.template if rule else ""):
        request.setdefault(sent.DESCRIPTOR.fields_by_name[name].json_name, 500_000)
    try:
        await tester.call(method, request, "rest")
    except EchoMindError as error:
        return error.reason
    return ""

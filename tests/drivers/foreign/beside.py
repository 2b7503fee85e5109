"""What the contract's calls do not try: routes written by hand, links for sharing, and writes that refer to nothing."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

import aiohttp
from websockets.exceptions import InvalidStatus

from echomind_lib.errors import EchoMindError, NotFoundError
from tests.drivers.client import METHODS, Client
from tests.drivers.foreign.calls import Calls
from tests.drivers.foreign.places import MARK
from tests.drivers.foreign.requests import is_read, request
from tests.drivers.foreign.rules import Place, Reader, may_see
from tests.drivers.readers import Address, open_stream

SHARED = {"chat_messages", "chat_message_documents", "chat_sessions"}
"""Tables of which a share shows something: the messages, titles and quotes of their citations, the conversation's."""
WRONG = 4
"""How many tokens are tried that open nothing: after more the address is locked out for a while."""


async def try_routes(calls: Calls, readers: Sequence[Reader], places: Sequence[Place]) -> None:
    """Tries the routes that take an id and are written by hand: bytes of documents, uploads, events by WebSocket."""
    for reader in readers:
        for place, table, value in _values(calls, places, "documents", "connectors", "chat_sessions"):
            if may_see(reader, place.name, table):
                continue
            found = await _by_hand(reader.client, table, value)
            absent = await _by_hand(reader.client, table, 2_000_000_000)
            calls.count["writes" if table == "connectors" else "reads"] += 1
            if found[0] != absent[0] or found[1].replace(str(value), "2000000000") != absent[1]:
                calls.faults.append(f"{reader.name} by hand {table} {value} of {place.name}: {found}, not {absent}")
            calls.faults += [f"{reader.name} by hand {table} shows {seen}" for seen in MARK.findall(found[1])]


async def _by_hand(client: Client, table: str, value: Any) -> tuple[str, str]:
    """Returns the status of a request, and what it says."""
    headers = {"Authorization": f"Bearer {client.key}"}
    if table == "chat_sessions":
        address = Address(client.http_url, "", client.key)
        try:
            async with open_stream("websocket", address, int(value)) as events:
                return "open", str(await anext(events))
        except InvalidStatus as error:
            return str(error.response.status_code), (error.response.body or b"").decode()
    if table == "documents":
        url = f"{client.http_url}/api/v1/documents/{value}:download"
        async with client.session.get(url, headers=headers) as response:
            return str(response.status), await response.text()
    form = aiohttp.FormData()
    form.add_field("connector_id", str(value))
    form.add_field("file", b"Mine.", filename="mine.txt", content_type="text/plain")
    url = f"{client.http_url}/api/v1/documents:upload"
    async with client.session.post(url, headers=headers, data=form) as response:
        return str(response.status), await response.text()


async def try_links(calls: Calls, readers: Sequence[Reader], places: Sequence[Place], anonymous: Client) -> None:
    """Makes a link for each person's conversation: it shows the shared words alone, and nothing else opens it."""
    for owner in readers:
        session = calls.values[owner.name, "chat_sessions", "id"][0]
        made = await owner.client.call("SessionShareService/CreateSessionShare", {"chatSessionId": session})
        token = made["path"].rpartition("/")[2]
        for client in (anonymous, *(reader.client for reader in readers)):
            calls.count["reads"] += 1
            shown = str(await client.call("SessionShareService/ReadSharedSession", {"token": token}))
            others = {found for found in MARK.findall(shown) if found[0] != owner.name or found[1] not in SHARED}
            calls.faults += [f"a link of {owner.name} shows {table} of {place}" for place, table in others]
    for owner, receiver in zip(readers, [*readers[1:], readers[0]], strict=True):
        await _try_named(calls, owner, receiver, readers)
    ids = [str(value) for *_, value in _values(calls, places, "session_shares")]
    answers = set()
    for token in [secrets.token_urlsafe(32), *ids][:WRONG]:
        calls.count["reads"] += 1
        try:
            await anonymous.call("SessionShareService/ReadSharedSession", {"token": token})
            answers.add(f"{token} opens something")
        except EchoMindError as error:
            answers.add(f"{error.reason} {error.message}")
    if len(answers) != 1:
        calls.faults.append(f"wrong tokens of links are answered differently: {answers}")


async def _try_named(calls: Calls, owner: Reader, receiver: Reader, readers: Sequence[Reader]) -> None:
    """Shares each person's conversation with one other by name: to the rest it is as if it did not exist."""
    session = calls.values[owner.name, "chat_sessions", "id"][0]
    name = (await receiver.client.call("UserService/GetCurrentUser", {}))["userName"]
    given = {"chatSessionId": session, "sessionShare": {"recipients": [{"userName": name}], "showsQuotes": True}}
    share = (await owner.client.call("SessionShareService/CreateSessionShare", given))["sessionShare"]["id"]
    for reader in readers:
        calls.count["reads"] += 2
        received = await reader.client.call("SessionShareService/ListReceivedShares")
        listed = [each for each in received.get("receivedShares", []) if each["id"] == share]
        if reader is receiver:
            shown = str(listed) + str(await reader.client.call("SessionShareService/ReadReceivedShare", {"id": share}))
            allowed = SHARED | {"users"}
            others = {found for found in MARK.findall(shown) if found[0] != owner.name or found[1] not in allowed}
            calls.faults += [f"a share of {owner.name} shows {table} of {place}" for place, table in others]
        else:
            answers = [await _received(reader.client, each) for each in (share, 2_000_000_000)]
            if answers[0] != answers[1] or listed:
                calls.faults.append(f"{reader.name} learns of a share of {owner.name} for {receiver.name}: {answers}")
    await owner.client.call("SessionShareService/DeleteSessionShare", {"id": share})
    if "opened" in await _received(receiver.client, share):
        calls.faults.append(f"{receiver.name} opens a revoked share of {owner.name}")


async def _received(client: Client, share: int) -> str:
    """Returns what somebody is answered who opens a share, without its id."""
    try:
        return f"opened {await client.call('SessionShareService/ReadReceivedShare', {'id': share})}"
    except NotFoundError as error:
        return f"{error.reason} {error.message}".replace(str(share), "ID")


async def try_writes_without_reference(calls: Calls, reader: Reader) -> None:
    """Calls every write that refers to nothing. What it changes is compared afterwards, as with all writes."""
    refer = {each.method for each in calls.fields}
    for method in METHODS:
        if not is_read(method) and method not in refer:
            await calls.look(reader, method, request(method, 0), "grpc")


def _values(calls: Calls, places: Sequence[Place], *tables: str) -> Iterator[tuple[Place, str, Any]]:
    for place in places:
        for table in tables:
            for value in calls.values.get((place.name, table, "id"), [])[:: 1 if calls.is_thorough else 2]:
                yield place, table, value

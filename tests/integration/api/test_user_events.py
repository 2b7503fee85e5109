"""Events of a user's changes, for their open pages, over both transports."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from echomind_api.streams.user_feeds import UserSubscriber
from echomind_lib.access import Principal
from echomind_lib.messaging import DOCUMENT_CHANGED, events_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentChanged, EventsStored
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_RUN, UserEvent
from tests.drivers.client import METHODS, TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person
from tests.factories.world import World

via_both = pytest.mark.parametrize("via", TRANSPORTS)


class Page:
    """An open page, which reads the stream."""

    def __init__(self, client: Client, via: Transport) -> None:
        transport = client.grpc() if via == "grpc" else client.rest()
        self._items: AsyncGenerator[Any] = transport.stream(METHODS["UserService/StreamUserEvents"], {})

    async def __aenter__(self) -> "Page":
        assert await self.next() == ("RESYNC", "")
        return self

    async def __aexit__(self, *_: object) -> None:
        async with aclosing(self._items):
            pass

    async def read(self) -> dict[str, Any]:
        async with asyncio.timeout(60):
            item = await anext(self._items)
        found: dict[str, Any] = json_format.MessageToDict(item) if isinstance(item, Message) else json.loads(item)
        return found

    async def next(self) -> tuple[str, str]:
        event = await self.read()
        return event["kind"].removeprefix("USER_EVENT_KIND_"), event.get("id", "")

    async def until(self, kind: str, thing: object) -> dict[str, Any]:
        """Reads until something has changed."""
        while True:
            event = await self.read()
            if (event["kind"].removeprefix("USER_EVENT_KIND_"), event["id"]) == (kind, str(thing)):
                return event


@via_both
async def test_conversations_and_runs(person: Person, via: Transport) -> None:
    async with Page(person.client, via) as page:
        sent = await person.ask("One?", end=False)
        session, run = int(person.session), sent["run"]["id"]
        assert (await page.until("SESSION", session))["version"] != "0"
        event = await page.until("RUN", run)
        assert (event["chatSessionId"], event["runStatus"]) == (session, "RUN_STATUS_QUEUED")
        await person.call("RunService/PauseRun", id=run)
        assert (await page.until("RUN", run))["runStatus"] == "RUN_STATUS_PAUSED"
        await page.until("INBOX", run)
        await person.call("RunService/CancelRun", id=run)
        assert (await page.until("RUN", run))["runStatus"] == "RUN_STATUS_CANCELLED"
        await person.call(
            "ChatSessionService/UpdateChatSession", id=session, chatSession={"pinned": True}, updateMask="pinned"
        )
        await page.until("SESSION", session)
        made = await person.call("ChatSessionService/CreateChatSession", chatSession={})
        await page.until("SESSION", made["id"])
        for method in ("DeleteChatSession", "RestoreChatSession", "PurgeChatSession"):
            await person.call(f"ChatSessionService/{method}", id=made["id"])
            await page.until("SESSION", made["id"])
        await person.call("UserService/UpdateCurrentUser", user={"firstName": "Kim"}, updateMask="firstName")
        await page.until("SETTINGS", person.client.user_id)


@via_both
async def test_nothing_of_others(person: Person, via: Transport, new_user: NewUser) -> None:
    stranger = await new_user("superadmin")
    async with Page(stranger, via) as page:
        await person.ask("Theirs?")
        await person.call("UserService/UpdateCurrentUser", user={"firstName": "Kim"}, updateMask="firstName")
        made = await stranger.call("ChatSessionService/CreateChatSession", {"chatSession": {}})
        assert await page.next() == ("SESSION", str(made["id"]))


@via_both
async def test_documents_by_who_reads_them(world: World, gateway: Any, via: Transport) -> None:
    somebody = world.people["user"]
    bus = gateway.parts.dependencies.bus
    async with Page(somebody, via) as page:
        for scope in ("foreign", "foreign group", "own", "group", "org"):
            document = await world.document(scope, somebody)
            await bus.publish(DOCUMENT_CHANGED, DocumentChanged(document_id=document))
            if not scope.startswith("foreign"):
                assert await page.next() == ("DOCUMENT", str(document))


async def test_events_that_are_larger_than_a_message(person: Person, gateway: Any) -> None:
    await person.ask("One?")
    async with Page(person.client, "grpc") as page:
        bus = gateway.parts.dependencies.bus
        await bus.publish(events_subject(int(person.session)), EventsStored(previous_id=1))
        while await page.next() != ("RESYNC", ""):
            pass


async def test_a_slow_reader_gets_an_event_that_everything_may_have_changed() -> None:
    subscriber = UserSubscriber(Principal(1))
    events = subscriber.events()
    await anext(events)
    for number in range(3):
        subscriber.put(UserEvent(kind=USER_EVENT_KIND_RUN, id="a", version=number))
    assert (await anext(events)).version == 2
    for number in range(1001):
        subscriber.put(UserEvent(kind=USER_EVENT_KIND_RUN, id=str(number)))
    assert json_format.MessageToDict(await anext(events)) == {"kind": "USER_EVENT_KIND_RESYNC"}

"""Microsoft Teams, against an organization that the official description of Microsoft Graph checks."""

from typing import Any

import msgspec
import pytest

from echomind_ingestor.connectors.protocol import INHERITED, Group, user_key
from echomind_ingestor.connectors.teams.source import TeamsSource
from echomind_lib.connectors import SettingsError
from echomind_lib.connectors.types.teams import TEAMS, TeamsSettings
from tests.drivers.graph import Organization

pytestmark = pytest.mark.asyncio


class World:
    """A team of Ada and Bob with a channel of two conversations, and a chat."""

    def __init__(self, contoso: Organization) -> None:
        self.contoso, self.tenant, self.stored = contoso, contoso.tenant, contoso.stored
        self.ada = self.tenant.add_user("ada@contoso.com")
        self.bob = self.tenant.add_user("bob@contoso.com")
        self.team = self.tenant.new_id("team")
        self.channel = self.tenant.add_channel(self.team, "General", self.ada, self.bob)
        self.first = self.tenant.post(self.channel, self.ada, "When is the <b>release</b>?")
        self.reply = self.tenant.post(self.channel, self.bob, "On Friday", self.first)
        self.second = self.tenant.post(self.channel, self.bob, "Lunch menu")

    async def sync(self, *, most_pages: int | None = None, permissions: bool = True, **settings: Any) -> None:
        await self.stored.read(self.source(permissions=permissions, **settings), most_pages=most_pages)

    def source(self, *, permissions: bool = True, **settings: Any) -> TeamsSource:
        given = TeamsSettings(**{"teams": (self.team,), **settings})
        return self.contoso.source(TeamsSource, given, syncs_permissions=permissions)

    def thread(self, message: str) -> str:
        return f"{self.team}/{self.channel.id}/{message}"

    def text(self, message: str) -> str:
        content = self.stored.items[self.thread(message)].content
        assert content is not None
        return content.decode()


@pytest.fixture
def world(contoso: Organization) -> World:
    return World(contoso)


@pytest.mark.parametrize("page_size", [1, 50])
async def test_a_conversation_is_one_document(world: World, page_size: int) -> None:
    world.tenant.page_size = page_size
    await world.sync()
    assert set(world.stored.items) == {world.thread(world.first), world.thread(world.second)}
    text = world.text(world.first)
    assert text.index("release") < text.index("On Friday")
    assert f'<section id="m{world.reply}"><h2>Bob, ' in text
    item = world.stored.items[world.thread(world.first)]
    assert item.name == "Engineering › General: When is the release ?"
    assert item.readers == INHERITED


async def test_without_changes_nothing_is_written(world: World) -> None:
    await world.sync()
    await world.sync()
    assert world.stored.written == []


async def test_a_reply_and_an_edit_rebuild_their_conversation(world: World) -> None:
    await world.sync()
    world.tenant.post(world.channel, world.ada, "Thanks", world.first)
    await world.sync()
    assert world.stored.written == [world.thread(world.first)]
    assert "Thanks" in world.text(world.first)
    world.tenant.edit(world.channel, world.reply, "On Monday")
    await world.sync()
    assert "On Monday" in world.text(world.first)


async def test_a_reaction_changes_nothing(world: World) -> None:
    await world.sync()
    world.tenant.edit(world.channel, world.first, is_reaction=True)
    await world.sync()
    assert world.stored.written == []


async def test_deleted_messages_are_left_out_and_an_empty_conversation_is_removed(world: World) -> None:
    await world.sync()
    world.tenant.edit(world.channel, world.reply)
    world.tenant.edit(world.channel, world.second)
    await world.sync()
    assert "On Friday" not in world.text(world.first)
    assert set(world.stored.items) == {world.thread(world.first)}


async def test_what_teams_itself_writes_is_left_out(world: World) -> None:
    world.tenant.post(world.channel, world.ada, "<systemEventMessage/>", messageType="unknownFutureValue")
    await world.sync()
    assert len(world.stored.items) == 2


async def test_senders_without_names_and_files_are_shown(world: World) -> None:
    file = {
        "id": "1",
        "contentType": "reference",
        "contentUrl": "https://contoso.example/plan.docx?a=1&b=2",
        "name": "plan <1>.docx",
    }
    bot = world.tenant.post(world.channel, world.ada, "Build failed", attachments=[file])
    world.channel.messages[bot]["from"] = None
    await world.sync()
    text = world.text(bot)
    assert "<h2>Somebody, " in text
    assert '<a href="https://contoso.example/plan.docx?a=1&amp;b=2">plan &lt;1&gt;.docx</a>' in text


async def test_a_change_during_the_listing_is_read(world: World) -> None:
    world.tenant.page_size = 1
    await world.sync(most_pages=2)
    late = world.tenant.post(world.channel, world.ada, "Late", world.second)
    await world.sync()
    assert f"m{late}" in world.text(world.second)
    await world.sync()
    assert world.stored.written == []


async def test_a_long_conversation_is_read_when_it_is_opened(world: World) -> None:
    world.tenant.post(world.channel, world.ada, "x" * 300_000, world.second)
    await world.sync()
    item = world.stored.items[world.thread(world.second)]
    assert item.content is None
    async with world.source() as source, source.open(item) as content:
        page = b"".join([piece async for piece in content.pieces])
    assert len(page) == item.size


async def test_removing_a_channel_removes_its_conversations(world: World) -> None:
    await world.sync()
    world.tenant.add_channel(world.team, "Other", world.ada)
    del world.tenant.teams[world.team][world.channel.id]
    await world.sync()
    assert world.stored.items == {}
    assert {folder.name for folder in world.stored.folders.values()} == {"Engineering", "Other"}


async def test_a_team_that_cannot_be_read_removes_nothing(world: World) -> None:
    await world.sync(teams=(world.team, "00000000-0000-4000-8000-00000000dead"))
    assert len(world.stored.items) == 2
    assert not world.stored.pages[-1].is_complete


async def test_members_are_the_readers_of_a_channel(world: World) -> None:
    await world.sync()
    folder = world.stored.folders[f"{world.team}/{world.channel.id}"]
    assert folder.readers is not None
    named = sorted(folder.readers.principals)
    groups: dict[str, Group] = {}
    async with world.source() as source:
        async for page in source.groups(named):
            groups |= {group.key: group for group in page.groups}
    assert groups[named[0]].members == {user_key("entra", world.ada.id), user_key("entra", world.bob.id)}


async def test_a_month_of_a_chat_is_a_document_and_each_chat_is_read_once(world: World) -> None:
    chat = world.tenant.add_chat("Lunch", world.ada, world.bob)
    pizza = world.tenant.post(chat, world.ada, "Pizza?", createdDateTime="2025-12-31T23:59:59.9Z")
    world.tenant.post(chat, world.bob, "Yes")
    people = ("ada@contoso.com", "bob@contoso.com")
    await world.sync(teams=(), chats_of=people)
    assert {item.name for item in world.stored.items.values()} == {"Lunch, 2025-12", "Lunch, 2026-01"}
    await world.sync(teams=(), chats_of=people)
    assert world.stored.written == []
    world.tenant.edit(chat, pizza, "Pasta?")
    await world.sync(teams=(), chats_of=people)
    assert world.stored.written == [f"chat/{chat.id}/2025-12"]
    members = world.stored.folders[f"chat/{chat.id}"].readers
    assert members is not None
    async with world.source(teams=(), chats_of=people) as source:
        found = [group async for page in source.groups(sorted(members.principals)) for group in page.groups]
    assert found[0].members == {user_key("entra", world.ada.id), user_key("entra", world.bob.id)}


async def test_a_failed_conversation_is_found_again_by_its_id(world: World) -> None:
    await world.sync()
    item = world.stored.items[world.thread(world.first)]
    async with world.source() as source:
        found = await source.find(item.source_id)
        assert found is not None
        assert (found.version, found.content) == (item.version, item.content)
        assert await source.find(world.thread("404")) is None


async def test_checks_name_the_missing_right(world: World) -> None:
    async with world.source() as source:
        assert {check.status for check in await source.check()} == {"passed"}
    world.tenant.granted.remove("ChannelMessage.Read.All")
    async with world.source() as source:
        failed = [check for check in await source.check() if check.status == "failed"]
    assert [check.name for check in failed] == ["Read messages"]


async def test_nothing_to_read_is_refused() -> None:
    with pytest.raises(SettingsError, match="name a team or a person at least"):
        TEAMS.read_settings({})
    assert msgspec.to_builtins(TEAMS.read_settings({"chats_of": ["a@b.c"]}))["teams"] == ()

"""The source `teams`: conversations of channels, by change lists, and chats.

A channel's change list contains the first messages of conversations, also if only a reply has changed, for the last
eight months. So a full listing first reads all messages and then the change list, which contains the changes made
during the listing.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

import msgspec
from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.graph import GraphSource, parse_time, segment
from echomind_ingestor.connectors.probes import probe
from echomind_ingestor.connectors.teams.chats import changed_months, find_chat, list_chats, read_month
from echomind_ingestor.connectors.teams.members import channel_readers, chat_readers, read_members
from echomind_ingestor.connectors.teams.threads import is_shown, render, title_of, version_of
from echomind_ingestor.connectors.vendor_client import Json, RequestRefusedError
from echomind_lib.connectors.types.teams import TeamsSettings

_MAX_CHANNELS: Final = 150
"""Maximum per connector, as the position in each is part of the cursor."""
_MAX_INLINE: Final = 200 * 1024
_PAGE: Final = "50"
"""The API's maximum."""
_HTML: Final = "text/html"


class Position(msgspec.Struct, kw_only=True):
    """The cursor: the position in each channel, and the newest change of chats."""

    is_listing: bool = True
    """Whether this round lists everything."""
    links: dict[str, str] = msgspec.field(default_factory=dict)
    """By channel, `TEAM/CHANNEL`: the link, relative to the API's base address."""
    done: list[str] = msgspec.field(default_factory=list)
    """Channels and chats completed in this round."""
    since: str = ""
    """The newest change in chats read by the previous round."""
    newest: str = ""
    """The newest change in chats read by this round."""
    skipped: bool = False
    """Whether a place could not be read in this round."""


@dataclass(slots=True)
class _Threads:
    """Conversations that were read."""

    items: list[protocol.Item] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """Those of which nothing is left."""
    failures: list[protocol.Failure] = field(default_factory=list)


class TeamsSource(GraphSource[TeamsSettings]):
    """Microsoft Teams."""

    definition_name: ClassVar[str] = "teams"

    @override
    async def check(self) -> Sequence[protocol.Check]:
        await self._graph.client.get("organization", {"$select": "id"})
        checks = [protocol.Check(name="Sign in", status="passed")]
        for team in self.settings.teams:
            path = f"teams/{segment(team)}/channels"
            remedy = "Grant the permissions Team.ReadBasic.All and Channel.ReadBasic.All."
            checks.append(await probe(f"List channels of team {team}", self._graph.get(path), remedy))
            if checks[-1].status == "passed":
                channel = (await self._graph.get(path, {"$select": "id"}))["value"][0]["id"]
                messages = self._graph.get(f"{path}/{segment(channel)}/messages", {"$top": "1"})
                remedy = "Grant the permission ChannelMessage.Read.All. Microsoft protects it: it may take a request."
                checks.append(await probe("Read messages", messages, remedy))
                if self.context.syncs_permissions:
                    members = self._graph.get(f"{path}/{segment(channel)}/allMembers")
                    remedy = "Grant the permission ChannelMember.Read.All."
                    checks.append(await probe("Read members", members, remedy))
        for person in self.settings.chats_of:
            chats = self._graph.get(f"users/{segment(person)}/chats", {"$top": "1"})
            remedy = "Grant the application permission Chat.Read.All."
            checks.append(await probe(f"Read chats of {person}", chats, remedy))
        if self.context.syncs_permissions:
            people = self._graph.get("users", {"$top": "1"})
            checks.append(await probe("Read people", people, "Grant the permission User.Read.All."))
        return checks

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        position = Position() if cursor is None else msgspec.convert(cursor, Position)
        channels: dict[str, str] = {}
        for team in self.settings.teams:
            async for page in self._channels_of(team, position, channels):
                yield page
        if len(channels) > _MAX_CHANNELS:
            raise protocol.SourceError(
                f"These are {len(channels)} channels, and a connector reads {_MAX_CHANNELS} at most: split it into "
                "several."
            )
        for key, name in channels.items():
            if key not in position.done:
                async for page in self._messages_of(key, name, position):
                    yield page
        for person in self.settings.chats_of:
            async for page in self._chats_of(person, position):
                yield page
        following = Position(is_listing=False, links=position.links, since=max(position.since, position.newest))
        yield self._page(position, cursor=msgspec.to_builtins(following))

    def _page(
        self,
        position: Position,
        *,
        cursor: protocol.Cursor | None = None,
        folders: Sequence[protocol.Folder] = (),
        items: Sequence[protocol.Item] = (),
        removed: Sequence[str] = (),
        failures: Sequence[protocol.Failure] = (),
    ) -> protocol.Page:
        if failures:
            position.skipped = True
        return protocol.Page(
            cursor=msgspec.to_builtins(position) if cursor is None else cursor,
            folders=folders,
            items=items,
            removed=removed,
            failures=failures,
            is_listing=position.is_listing,
            is_complete=not position.skipped,
        )

    async def _channels_of(
        self, team_id: str, position: Position, channels: dict[str, str]
    ) -> AsyncIterator[protocol.Page]:
        """Yields a team and its channels as folders, and adds the channels' names by key."""
        try:
            team = await self._graph.get(f"teams/{segment(team_id)}", {"$select": "id,displayName,webUrl"})
            path = f"teams/{segment(team_id)}/channels"
            found = [value async for value in self._graph.values(path)]
        except RequestRefusedError as error:
            advice = "Check whether it still exists, and that the account or application may read it."
            yield self._page(
                position,
                failures=[protocol.Failure(source_id=team_id, name=team_id, message=f"{error.message} {advice}")],
            )
            return
        name = team.get("displayName") or "Team"
        nobody = protocol.Readers() if self.context.syncs_permissions else None
        folders = [protocol.Folder(source_id=team_id, name=name, readers=nobody, url=team.get("webUrl") or "")]
        for channel in found:
            key = f"{team_id}/{channel['id']}"
            channels[key] = f"{name} › {channel.get('displayName') or 'Channel'}"
            readers = channel_readers(team_id, channel["id"]) if self.context.syncs_permissions else None
            folders.append(
                protocol.Folder(
                    source_id=key,
                    name=channel.get("displayName") or "Channel",
                    parent_id=team_id,
                    readers=readers,
                    url=channel.get("webUrl") or "",
                )
            )
        left = [key for key in position.links if key.startswith(f"{team_id}/") and key not in channels]
        for key in left:
            del position.links[key]
            async for ids in self.context.find_children(key):
                yield self._page(position, removed=ids)
        yield self._page(position, folders=folders, removed=left)

    async def _messages_of(self, key: str, name: str, position: Position) -> AsyncIterator[protocol.Page]:
        """Yields the conversations of a channel."""
        team_id, _, channel_id = key.partition("/")
        path = f"teams/{segment(team_id)}/channels/{segment(channel_id)}/messages"
        base = f"{self.context.server.microsoft_graph_url.rstrip('/')}/v1.0/"
        params = {"$expand": "replies", "$top": _PAGE}
        lists: list[tuple[Literal["messages", "delta"], str]] = []
        start = position.links.get(key, "")
        if position.is_listing and "/delta" not in start:
            lists.append(("messages", start))
            start = ""
        lists.append(("delta", start))
        for kind, link in lists:
            async for answer in self._graph.pages(path if kind == "messages" else f"{path}/delta", params, start=link):
                found = {value["id"]: value for value in answer.get("value", ())}
                threads = await self._threads(key, name, found.values())
                following = answer.get("@odata.nextLink") or answer.get("@odata.deltaLink")
                if following:
                    position.links[key] = str(following).removeprefix(base)
                elif kind == "messages":
                    position.links[key] = f"{path}/delta?$expand=replies&$top={_PAGE}"
                if "@odata.deltaLink" in answer:
                    position.done.append(key)
                yield self._page(position, items=threads.items, removed=threads.removed, failures=threads.failures)

    async def _threads(self, key: str, name: str, messages: Iterable[Json]) -> _Threads:
        """Reads the conversations of a channel that begin with some messages."""
        threads = _Threads()
        for first in messages:
            source_id = f"{key}/{first['id']}"
            try:
                thread = await self._with_replies(first)
            except RequestRefusedError as error:
                threads.failures.append(protocol.Failure(source_id=source_id, name=name, message=error.message))
                continue
            if any(map(is_shown, thread)):
                threads.items.append(self._item(source_id, key, title_of(first, name), thread))
            else:
                threads.removed.append(source_id)
        return threads

    async def _with_replies(self, message: Json) -> list[Json]:
        """Returns a message and its replies, oldest first."""
        replies = list(message.get("replies") or ())
        if link := message.get("replies@odata.nextLink"):
            async for page in self._graph.pages("", start=link):
                replies += page.get("value", ())
        return [message, *sorted(replies, key=lambda reply: str(reply.get("createdDateTime") or ""))]

    async def _chats_of(self, person: str, position: Position) -> AsyncIterator[protocol.Page]:
        """Yields the chats of a person that were not read for another person in this round."""
        try:
            chats = [chat async for chat in list_chats(self._graph, person)]
        except RequestRefusedError as error:
            advice = "Check the sign-in name, and the permission Chat.Read.All."
            yield self._page(
                position, failures=[protocol.Failure(source_id="", name=person, message=f"{error.message} {advice}")]
            )
            return
        for chat in chats:
            key = f"chat/{chat.id}"
            if key in position.done:
                continue
            known = not position.is_listing and key in await self.context.find_known([key])
            months, newest = await changed_months(self._graph, chat.id, position.since if known else "")
            position.newest = max(position.newest, newest)
            position.done.append(key)
            items, removed = [], []
            for month in sorted(months):
                messages = await read_month(self._graph, chat.id, month)
                if any(map(is_shown, messages)):
                    items.append(self._item(f"{key}/{month}", key, f"{chat.name}, {month}", messages, chat.url))
                else:
                    removed.append(f"{key}/{month}")
            folder = protocol.Folder(source_id=key, name=chat.name, readers=chat_readers(chat.id), url=chat.url)
            yield self._page(position, folders=[folder], items=items, removed=removed)

    def _item(
        self, source_id: str, folder_id: str, title: str, messages: Sequence[Json], url: str = ""
    ) -> protocol.Item:
        content = render(title, messages)
        newest = max(str(message.get("lastModifiedDateTime") or message["createdDateTime"]) for message in messages)
        return protocol.Item(
            source_id=source_id,
            name=title,
            version=version_of(messages),
            folder_id=folder_id,
            readers=protocol.INHERITED if self.context.syncs_permissions else None,
            url=url or messages[0].get("webUrl") or "",
            content_type=_HTML,
            size=len(content),
            modified_at=parse_time(newest),
            content=content if len(content) <= _MAX_INLINE else None,
        )

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        try:
            title, url, messages = await self._thread(source_id)
        except RequestRefusedError as error:
            if error.status == 404:
                return None
            raise protocol.ItemError(error.message) from None
        if not any(map(is_shown, messages)):
            return None
        return self._item(source_id, source_id.rpartition("/")[0], title, messages, url)

    async def _thread(self, source_id: str) -> tuple[str, str, Sequence[Json]]:
        """Returns title, URL and messages of a conversation."""
        first, second, third = source_id.split("/", 2)
        if first == "chat":
            chat = await find_chat(self._graph, second)
            return f"{chat.name}, {third}", chat.url, await read_month(self._graph, second, third)
        path = f"teams/{segment(first)}/channels/{segment(second)}"
        team = await self._graph.get(f"teams/{segment(first)}", {"$select": "id,displayName"})
        channel = await self._graph.get(path, {"$select": "id,displayName"})
        message = await self._graph.get(f"{path}/messages/{segment(third)}")
        replies = [
            reply async for reply in self._graph.values(f"{path}/messages/{segment(third)}/replies", {"$top": _PAGE})
        ]
        replies.sort(key=lambda reply: str(reply.get("createdDateTime") or ""))
        channel_name = f"{team.get('displayName') or 'Team'} › {channel.get('displayName') or 'Channel'}"
        return title_of(message, channel_name), "", [message, *replies]

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        try:
            title, _, messages = await self._thread(item.source_id)
        except RequestRefusedError as error:
            raise protocol.ItemError(f"It cannot be read: {error.message}") from None
        page = render(title, messages)

        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(page), 64 * 1024):
                yield page[start : start + 64 * 1024]

        yield protocol.Content(pieces=pieces(), content_type=_HTML)

    @override
    async def groups(self, named: Sequence[str]) -> AsyncIterator[protocol.GroupPage]:
        async for page in read_members(self._graph, named):
            yield page
        async for page in self._graph.groups(named):
            yield page

"""An organization of Microsoft 365 in memory: people, groups, drives with their items and permissions, teams, chats.

Behaviours are marked `documented` (Microsoft's documentation), `reported` (an issue of another project) or `assumed`.
"""

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

Json = dict[str, Any]

TENANT_ID = "11111111-2222-4333-8444-555555555555"
_FIRST_SECOND = 1_767_225_600  # 2026-01-01


@dataclass
class User:
    """A person of the directory."""

    id: str
    email: str
    is_guest: bool = False
    is_enabled: bool = True

    def answer(self) -> Json:
        """Returns it as the directory does."""
        return {
            "id": self.id,
            "mail": self.email,
            "userPrincipalName": self.email,
            "displayName": self.email.partition("@")[0].title(),
            "userType": "Guest" if self.is_guest else "Member",
            "accountEnabled": self.is_enabled,
        }


@dataclass
class Item:
    """A file or folder of a drive."""

    id: str
    name: str
    parent_id: str
    content: bytes | None
    """None for a folder."""
    permissions: list[Json] | None = None
    """None for those of its folder."""
    modified: str = "2026-01-01T00:00:00Z"
    is_deleted: bool = False
    facets: Json = field(default_factory=dict)
    """Further ones, such as `package`."""


@dataclass
class Drive:
    """A drive: its items, and in which order they changed."""

    id: str
    name: str
    kind: str
    owner: User | None
    items: dict[str, Item] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    oldest: int = 0
    """Changes before this one are forgotten: their tokens answer 410."""

    @property
    def root(self) -> Item:
        """Its topmost folder."""
        return next(iter(self.items.values()))

    def permissions_of(self, item: Item) -> list[Json]:
        """Returns all that hold for an item. Documented: inherited ones are listed, and not marked."""
        while item.permissions is None and item.parent_id:
            item = self.items[item.parent_id]
        return item.permissions or []

    def answer(self, item: Item) -> Json:
        """Returns an item as a change list does. Documented: a deleted one has no name."""
        parent: Json = {"driveId": self.id, "driveType": self.kind}
        if item.parent_id:
            parent["id"] = item.parent_id
        if item.is_deleted:
            return {"id": item.id, "deleted": {"state": "deleted"}, "parentReference": parent}
        found: Json = {
            "id": item.id,
            "name": item.name,
            "webUrl": f"https://contoso.example/{self.id}/{item.id}",
            "eTag": f'"{hashlib.sha1(repr(item).encode(), usedforsecurity=False).hexdigest()},1"',
            "lastModifiedDateTime": item.modified,
            "parentReference": parent,
            **item.facets,
        }
        if item is self.root:
            return found | {"root": {}, "folder": {"childCount": 1}, "name": "root"}
        if item.content is None:
            return found | ({} if "package" in item.facets else {"folder": {"childCount": 0}})
        digest = hashlib.sha1(item.content, usedforsecurity=False).hexdigest()
        return found | {
            "size": len(item.content),
            "file": {"mimeType": "text/plain", "hashes": {"quickXorHash": digest}},
        }


@dataclass
class Channel:
    """A channel or a chat: its messages in the order of their last change, and who is in it."""

    id: str
    name: str
    members: set[str]
    messages: dict[str, Json] = field(default_factory=dict)
    """First messages and replies, by id."""
    log: list[str] = field(default_factory=list)
    """Ids of first messages, in the order of changes."""
    oldest: int = 0
    """Changes before this one are forgotten: their tokens are refused."""


@dataclass
class Faults:
    """What the server does wrong, as the service does."""

    refusals: list[tuple[int, str, dict[str, str]]] = field(default_factory=list)
    """Answers given instead of the next ones: status, code, headers."""
    unreadable: set[str] = field(default_factory=set)
    """Ids of items whose content or permissions are refused."""
    is_revoked: bool = False
    """Whether the token endpoint refuses."""
    empty_pages: int = 0
    """How many lists begin with an empty page that has a next one. Reported: elastic/connectors 4370."""
    is_repeating: bool = False
    """Whether change lists name items twice. Documented."""
    is_circular: bool = False
    """Whether a page names itself as the next one."""
    other_origin: str = ""
    """The origin that links to the next page have."""
    after_page: Callable[[], object] | None = None
    """Done once, after the next page of a list was made."""


class Tenant:
    """An organization."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.groups: dict[str, set[str]] = {}
        self.drives: dict[str, Drive] = {}
        self.sites: dict[str, tuple[str, list[str]]] = {}
        """By id: the path of its address, and its drives."""
        self.teams: dict[str, dict[str, Channel]] = {}
        self.chats: dict[str, Channel] = {}
        self.page_size = 3
        self.faults = Faults()
        self.granted = {
            "Files.Read.All",
            "Sites.FullControl.All",
            "User.Read.All",
            "GroupMember.Read.All",
            "Team.ReadBasic.All",
            "Channel.ReadBasic.All",
            "ChannelMessage.Read.All",
            "ChannelMember.Read.All",
            "Chat.Read.All",
        }
        self._numbers = itertools.count(1)
        self._seconds = itertools.count(_FIRST_SECOND)

    def new_id(self, kind: str) -> str:
        """Returns an id that nothing has had."""
        number = next(self._numbers)
        if kind in ("user", "group", "team"):
            return f"{number:08x}-0000-4000-8000-{number:012x}"
        return f"{kind}!{number}"

    def now(self) -> str:
        """Returns a later time than before."""
        from datetime import datetime

        time = datetime.fromtimestamp(next(self._seconds), UTC)
        return time.strftime("%Y-%m-%dT%H:%M:%S.1234567Z")

    def add_user(self, email: str, *, is_guest: bool = False) -> User:
        """Adds a person."""
        user = User(self.new_id("user"), email, is_guest)
        self.users[user.id] = user
        return user

    def add_group(self, *members: str) -> str:
        """Adds a group with members, who are people or groups."""
        group = self.new_id("group")
        self.groups[group] = set(members)
        return group

    def add_drive(self, name: str = "Documents", owner: User | None = None) -> Drive:
        """Adds a drive; with an owner it is their OneDrive."""
        drive = Drive(self.new_id("b"), name, "business" if owner else "documentLibrary", owner)
        root = Item(self.new_id("root"), "root", "", None, permissions=[])
        drive.items[root.id] = root
        self.drives[drive.id] = drive
        return drive

    def add_site(self, path: str, *drives: Drive) -> str:
        """Adds a SharePoint site at a path of its host, such as `sites/HR`."""
        site = f"contoso.example,{self.new_id('site')}"
        self.sites[site] = (path, [drive.id for drive in drives])
        return site

    def put(self, drive: Drive, name: str, content: bytes | None, parent: Item | None = None, **facets: Any) -> Item:
        """Adds a file, or without content a folder."""
        item = Item(self.new_id("item"), name, (parent or drive.root).id, content, modified=self.now(), facets=facets)
        drive.items[item.id] = item
        drive.log.append(item.id)
        return item

    def touch(self, drive: Drive, item: Item, **values: Any) -> None:
        """Changes an item: its name, content, folder, permissions."""
        for name, value in values.items():
            setattr(item, name, value)
        drive.log.append(item.id)

    def remove(self, drive: Drive, item: Item) -> None:
        """Removes an item and what lies in it. Documented: the change list names each of them."""
        for child in [child for child in drive.items.values() if child.parent_id == item.id]:
            self.remove(drive, child)
        self.touch(drive, item, is_deleted=True)

    def members_of(self, group: str) -> set[str]:
        """Returns the people of a group and of those within it."""
        found, waiting, seen = set(), [group], {group}
        while waiting:
            for member in self.groups.get(waiting.pop(), ()):
                if member in self.users:
                    found.add(member)
                elif member not in seen:
                    seen.add(member)
                    waiting.append(member)
        return found

    def add_channel(self, team: str, name: str, *members: User) -> Channel:
        """Adds a channel of a team."""
        channel = Channel(f"19:{self.new_id('channel')}@thread.tacv2", name, {user.id for user in members})
        self.teams.setdefault(team, {})[channel.id] = channel
        return channel

    def add_chat(self, name: str, *members: User) -> Channel:
        """Adds a chat."""
        chat = Channel(f"19:{self.new_id('chat')}@unq.gbl.spaces", name, {user.id for user in members})
        self.chats[chat.id] = chat
        return chat

    def post(self, channel: Channel, user: User, text: str, reply_to: str | None = None, **values: Any) -> str:
        """Writes a message, or a reply to one."""
        time = self.now()
        message: Json = {
            "id": str(1_700_000_000_000 + next(self._numbers)),
            "messageType": "message",
            "createdDateTime": time,
            "lastModifiedDateTime": time,
            "lastEditedDateTime": None,
            "deletedDateTime": None,
            "replyToId": reply_to,
            "subject": None,
            "body": {"contentType": "html", "content": f"<p>{text}</p>"},
            "from": {"user": {"id": user.id, "displayName": user.email.partition("@")[0].title()}},
            "attachments": [],
            "webUrl": f"https://teams.example/{channel.id}",
            **values,
        }
        channel.messages[message["id"]] = message
        channel.log.append(reply_to or message["id"])
        return str(message["id"])

    def edit(self, channel: Channel, message_id: str, text: str | None = None, *, is_reaction: bool = False) -> None:
        """Changes the text of a message, deletes it without one, or only adds a reaction.

        Documented: `lastModifiedDateTime` moves each time, `lastEditedDateTime` with the text.
        """
        message = channel.messages[message_id]
        message["lastModifiedDateTime"] = time = self.now()
        if not is_reaction and text is None:
            message["deletedDateTime"] = time
            message["body"] = {"contentType": "html", "content": ""}
        elif not is_reaction:
            message["lastEditedDateTime"] = time
            message["body"] = {"contentType": "html", "content": f"<p>{text}</p>"}
        channel.log.append(message["replyToId"] or message_id)

"""OneDrive and Teams in the suite: an organization in memory behind the interface of Microsoft Graph."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, ClassVar, Self

import msgspec
from typing_extensions import override

from echomind_ingestor.connectors.teams.threads import render, title_of
from tests.conformance.double import Ability, Audience, ConnectorSetup, Expected, SourceDouble
from tests.conformance.doubles.graph.tenant import TENANT_ID, Drive, Item
from tests.drivers.graph import APPLICATION, Organization, organization


class _MicrosoftDouble(SourceDouble):
    """What both have."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._organization: Organization | None = None

    @property
    def contoso(self) -> Organization:
        assert self._organization is not None
        return self._organization

    @override
    async def __aenter__(self) -> Self:
        self._organization = await self._stack.enter_async_context(organization())
        self.contoso.tenant.page_size = 100
        return self

    @override
    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    def _setup(self, type_: str, config: dict[str, Any]) -> ConnectorSetup:
        origin = self.contoso.server.origin
        return ConnectorSetup(
            type=type_,
            config=config,
            credentials=msgspec.to_builtins(APPLICATION),
            server={"microsoft_graph_url": origin, "microsoft_login_url": origin},
        )

    @override
    def page_size(self, items: int) -> None:
        self.contoso.tenant.page_size = items

    @override
    def after_page(self, action: Callable[[], object]) -> None:
        self.contoso.tenant.faults.after_page = action

    @override
    def limit_rate(self, requests: int, retry_after: str | None) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        self.contoso.tenant.faults.refusals = [(429, "activityLimitReached", headers)] * requests

    @override
    def expire_tokens(self) -> None:
        self.contoso.server.expire_tokens()

    @override
    def add_person(self, name: str, *, is_guest: bool = False) -> str:
        return self.contoso.tenant.add_user(f"{name}@contoso.com", is_guest=is_guest).email

    def _user_id(self, email: str) -> str:
        return next(user.id for user in self.contoso.tenant.users.values() if user.email == email)

    @override
    def revoke(self) -> None:
        self.contoso.tenant.faults.is_revoked = True


class OneDriveDouble(_MicrosoftDouble):
    """The OneDrive of Ada."""

    abilities: ClassVar[frozenset[Ability]] = frozenset(
        {
            "folders",
            "rename",
            "move",
            "restore",
            "identity",
            "paging",
            "cursor",
            "rate_limit",
            "credentials",
            "broken_item",
            "tokens",
            "permissions",
        }
    )
    audiences: ClassVar[frozenset[Audience]] = frozenset({"link", "organization"})

    @override
    async def __aenter__(self) -> Self:
        await super().__aenter__()
        tenant = self.contoso.tenant
        self.drive: Drive = tenant.add_drive(owner=tenant.add_user("ada@contoso.com"))
        return self

    @override
    def setup(self) -> ConnectorSetup:
        return self._setup("onedrive", {"people": ["ada@contoso.com"]})

    @override
    def expected(self) -> dict[str, Expected]:
        return {
            self._id(item): Expected(name=item.name, content=item.content, folder=self._path(item))
            for item in self.drive.items.values()
            if item.content is not None and not item.is_deleted
        }

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        parent = self._item(folder) if folder else self.drive.root
        tenant = self.contoso.tenant
        for item in self.drive.items.values():
            if (item.name, item.parent_id, item.is_deleted) == (name, parent.id, False):
                tenant.touch(self.drive, item, content=content)
                return self._id(item)
        item = tenant.put(self.drive, name, content, parent)
        if old:
            item.modified = "2001-01-01T00:00:00Z"
        return self._id(item)

    @override
    async def delete(self, source_id: str) -> None:
        self.contoso.tenant.remove(self.drive, self._item(source_id))

    @override
    async def make_folder(self, name: str, *, parent: str = "") -> str:
        above = self._item(parent) if parent else self.drive.root
        return self._id(self.contoso.tenant.put(self.drive, name, None, above))

    @override
    async def rename(self, source_id: str, name: str) -> str:
        self.contoso.tenant.touch(self.drive, self._item(source_id), name=name)
        return source_id

    @override
    async def move(self, source_id: str, folder: str) -> str:
        self.contoso.tenant.touch(self.drive, self._item(source_id), parent_id=self._item(folder).id)
        return source_id

    @override
    async def restore(self, source_id: str) -> None:
        self.contoso.tenant.touch(self.drive, self._item(source_id), is_deleted=False)

    @override
    def expire_cursor(self) -> None:
        self.drive.log.append(self.drive.root.id)
        self.drive.oldest = len(self.drive.log)

    @override
    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        unreadable = self.contoso.tenant.faults.unreadable
        (unreadable.add if broken else unreadable.discard)(self._item(source_id).id)

    @override
    def put_now(self, name: str, content: bytes) -> object:
        return self.contoso.tenant.put(self.drive, name, content)

    @override
    def add_group(self, *members: str) -> str:
        return self.contoso.tenant.add_group(*map(self._member, members))

    @override
    def set_group(self, group: str, *members: str) -> None:
        self.contoso.tenant.groups[group] = set(map(self._member, members))

    def _member(self, reader: str) -> str:
        return self._user_id(reader) if "@" in reader else reader

    @override
    def share(self, source_id: str, *readers: str, audience: Audience | None = None) -> None:
        kinds = {each: "user" if "@" in each else "group" for each in readers}
        permissions: list[dict[str, Any]] = [
            {"roles": ["read"], "grantedToV2": {kind: {"id": self._member(each)}}} for each, kind in kinds.items()
        ]
        everyone = f"c:0-.f|rolemanager|spo-grid-all-users/{TENANT_ID}"
        match audience:
            case "link":
                permissions.append({"roles": ["read"], "link": {"scope": "anonymous"}})
            case "organization":
                permissions.append({"roles": ["read"], "grantedToV2": {"siteUser": {"loginName": everyone}}})
        item = self._item(source_id)
        # Documented: the permissions of an item include inherited ones.
        above = self.drive.permissions_of(self.drive.items[item.parent_id])
        self.contoso.tenant.touch(self.drive, item, permissions=[*permissions, *above])

    @override
    def hide_readers(self, source_id: str, *, hidden: bool = True) -> None:
        self.break_item(source_id, broken=hidden)
        self.contoso.tenant.touch(self.drive, self._item(source_id))

    def _id(self, item: Item) -> str:
        return f"{self.drive.id}/{item.id}"

    def _item(self, source_id: str) -> Item:
        return self.drive.items[source_id.partition("/")[2]]

    def _path(self, item: Item) -> str:
        names = []
        while item.parent_id:
            item = self.drive.items[item.parent_id]
            names.append(item.name)
        return " / ".join(["ada@contoso.com: OneDrive", *reversed(names[:-1])])


class TeamsDouble(_MicrosoftDouble):
    """A channel whose conversations have subjects; a file is a conversation."""

    abilities: ClassVar[frozenset[Ability]] = frozenset(
        {"paging", "cursor", "rate_limit", "credentials", "tokens", "members"}
    )

    @override
    async def __aenter__(self) -> Self:
        await super().__aenter__()
        tenant = self.contoso.tenant
        self.ada = tenant.add_user("ada@contoso.com")
        self.team = tenant.new_id("team")
        self.channel = tenant.add_channel(self.team, "General", self.ada)
        return self

    @override
    def setup(self) -> ConnectorSetup:
        return self._setup("teams", {"teams": [self.team]})

    @override
    def expected(self) -> dict[str, Expected]:
        found = {}
        for message in self.channel.messages.values():
            if not message["deletedDateTime"]:
                name = title_of(message, "Engineering › General")
                found[self._id(message["id"])] = Expected(
                    name=name, content=render(name, [message]), folder="Engineering / General"
                )
        return found

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        for message in self.channel.messages.values():
            if message["subject"] == name and not message["deletedDateTime"]:
                self.contoso.tenant.edit(self.channel, message["id"], content.decode())
                return self._id(message["id"])
        return self._id(self.put_now(name, content))

    @override
    async def delete(self, source_id: str) -> None:
        self.contoso.tenant.edit(self.channel, source_id.rpartition("/")[2])

    @override
    def put_now(self, name: str, content: bytes) -> str:
        return self.contoso.tenant.post(self.channel, self.ada, content.decode(), subject=name)

    @override
    def expire_cursor(self) -> None:
        self.channel.oldest = len(self.channel.log) + 1

    @override
    def set_members(self, *people: str) -> None:
        self.channel.members = {self._user_id(each) for each in people}

    def _id(self, message: str) -> str:
        return f"{self.team}/{self.channel.id}/{message}"

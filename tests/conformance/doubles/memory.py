"""A source whose tenant is in memory, with a log of changes as the large vendors have one."""

import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Final

import msgspec
from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_lib.connectors import ConnectorDefinition


@dataclass(slots=True)
class Node:
    """A file or a folder."""

    id: str
    name: str
    parent: str
    content: bytes | None
    version: int
    readers: protocol.Readers | None = None


@dataclass
class Tenant:
    """What the source holds, its log of changes, and the faults that are ordered."""

    nodes: dict[str, Node] = field(default_factory=dict)
    trash: dict[str, Node] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    """Ids of what has changed, in order; what is in it and not in `nodes` was removed."""
    epoch: int = 1
    """Cursors of another epoch are forgotten."""
    page_size: int = 1000
    refused: int = 0
    retry_after: float = 0.0
    is_revoked: bool = False
    people: dict[str, bool] = field(default_factory=dict)
    """E-mail addresses, and whether somebody is a guest."""
    groups: dict[str, set[str]] = field(default_factory=dict)
    """Keys of members by the group's."""
    hidden: set[str] = field(default_factory=set)
    """Ids of what readers are not said of."""
    broken: set[str] = field(default_factory=set)
    faulty: set[str] = field(default_factory=set)
    """Ids of items in whose reading the connector makes a mistake; an empty one is that of the next page."""
    refused_item: str = ""
    skips: bool = False
    """Whether a listing cannot read a part of the source."""
    after_page: Callable[[], object] | None = None
    reads: int = 0
    """Contents that were read."""
    pages: int = 0
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def touch(self, node_id: str) -> None:
        self.log.append(node_id)

    def below(self, node_id: str) -> list[str]:
        """Returns a node with all below it."""
        found = [node_id]
        for each in found:
            found += [child.id for child in self.nodes.values() if child.parent == each]
        return found

    def path(self, node_id: str) -> str:
        names: list[str] = []
        while node_id:
            node = self.nodes[node_id]
            names.insert(0, node.name)
            node_id = node.parent
        return " / ".join(names)


TENANTS: Final[dict[str, Tenant]] = {}
"""Tenants by name, as connectors name them in their settings."""


class MemorySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tenant is read."""

    tenant: str


class MemorySource(protocol.SourceConnector[MemorySettings]):
    """Reads a tenant: a listing first, then the changes since it began."""

    definition_name: ClassVar[str] = "memory"

    @property
    def tenant(self) -> Tenant:
        return TENANTS[self.settings.tenant]

    def _request(self) -> None:
        tenant = self.tenant
        if tenant.is_revoked:
            raise protocol.CredentialsRejectedError("The tenant has revoked its credentials: connect it again.")
        if tenant.refused:
            tenant.refused -= 1
            raise protocol.SourceUnavailableError("The tenant asks to be left alone.", retry_after=tenant.retry_after)

    @override
    async def check(self) -> Sequence[protocol.Check]:
        self._request()
        return [protocol.Check(name="List files", status="passed")]

    @override
    async def changes(self, cursor: protocol.Cursor | None) -> AsyncIterator[protocol.Page]:
        tenant = self.tenant
        self._request()
        if cursor is not None and cursor["epoch"] != tenant.epoch:
            raise protocol.CursorExpiredError("The tenant has forgotten the cursor.")
        # Before the listing, so that changes during it are read afterwards.
        since = len(tenant.log) if cursor is None else int(cursor["since"])
        after = "" if cursor is None else cursor.get("after")
        while after is not None:
            self._request()
            ids = sorted(node_id for node_id in tenant.nodes if node_id > after)
            listed = ids[: tenant.page_size]
            page = self._page(listed, is_listing=True)
            after = listed[-1] if len(ids) > len(listed) else None
            cursor_here = {"epoch": tenant.epoch, "since": since} | ({"after": after} if after is not None else {})
            yield _at(page, cursor_here)
            self._answered()
        while since < len(tenant.log):
            self._request()
            changed = tenant.log[since : since + tenant.page_size]
            since += len(changed)
            yield _at(self._page(changed, is_listing=False), {"epoch": tenant.epoch, "since": since})
            self._answered()

    def _answered(self) -> None:
        action, self.tenant.after_page = self.tenant.after_page, None
        if action is not None:
            action()

    def _page(self, ids: Sequence[str], *, is_listing: bool) -> protocol.Page:
        tenant = self.tenant
        self._make_mistake("")
        tenant.pages += 1
        known = [tenant.nodes[each] for each in dict.fromkeys(ids) if each in tenant.nodes]
        skipped = [protocol.Failure(source_id="", name="A part", message="It is not answered.")] if tenant.skips else []
        return protocol.Page(
            cursor={},
            folders=[
                protocol.Folder(source_id=node.id, name=node.name, parent_id=node.parent, readers=self._readers(node))
                for node in known
                if node.content is None
            ],
            items=[self._item(node) for node in known if node.content is not None],
            removed=[each for each in dict.fromkeys(ids) if each not in tenant.nodes],
            failures=skipped,
            is_listing=is_listing,
            is_complete=not tenant.skips,
        )

    def _make_mistake(self, node_id: str) -> None:
        if node_id in self.tenant.faulty:
            raise ValueError("a mistake of the connector")

    def _item(self, node: Node) -> protocol.Item:
        refused = "It is encrypted: remove its password." if node.id == self.tenant.refused_item else ""
        return protocol.Item(
            source_id=node.id,
            name=node.name,
            version=str(node.version),
            folder_id=node.parent,
            readers=self._readers(node),
            error=refused,
        )

    def _readers(self, node: Node) -> protocol.Readers | None:
        if not self.context.syncs_permissions:
            return None
        return protocol.UNKNOWN if node.id in self.tenant.hidden else node.readers or protocol.INHERITED

    @override
    @asynccontextmanager
    async def open(self, item: protocol.Item) -> AsyncIterator[protocol.Content]:
        self._request()
        tenant = self.tenant
        self._make_mistake(item.source_id)
        if item.source_id in tenant.broken:
            raise protocol.ItemError("The tenant cannot read it.")
        node = tenant.nodes.get(item.source_id)
        if node is None or node.content is None:
            raise protocol.ItemError("It was removed meanwhile.")
        tenant.reads += 1
        yield protocol.Content(pieces=_pieces(node.content))

    @override
    async def find(self, source_id: str) -> protocol.Item | None:
        self._request()
        self._make_mistake(source_id)
        node = self.tenant.nodes.get(source_id)
        return self._item(node) if node is not None and node.content is not None else None

    @override
    async def groups(self, named: Sequence[str]) -> AsyncIterator[protocol.GroupPage]:
        self._request()
        tenant = self.tenant
        yield protocol.GroupPage(people=[protocol.Person(key=user_of(email), email=email) for email in tenant.people])
        everybody = frozenset(user_of(email) for email, is_guest in tenant.people.items() if not is_guest)
        groups = [protocol.Group(key=key, members=frozenset(members)) for key, members in tenant.groups.items()]
        yield protocol.GroupPage(
            groups=[*groups, protocol.Group(key=ORGANIZATION, members=everybody)], is_complete=True
        )


ORGANIZATION: Final = protocol.tenant_key("memory", "t")


def user_of(email: str) -> str:
    return protocol.user_key("memory", email.partition("@")[0])


def _at(page: protocol.Page, cursor: protocol.Cursor) -> protocol.Page:
    return protocol.Page(
        cursor=cursor,
        folders=page.folders,
        items=page.items,
        removed=page.removed,
        failures=page.failures,
        is_listing=page.is_listing,
        is_complete=page.is_complete,
    )


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 100_000):
        yield content[start : start + 100_000]


MEMORY: Final = ConnectorDefinition(
    name="memory",
    title="Memory",
    description="A tenant in memory.",
    settings=MemorySettings,
    implementation="tests.conformance.doubles.memory:MemorySource",
)

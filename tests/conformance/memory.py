"""The double of the reference source, whose tenant is in memory."""

from collections.abc import Callable
from typing import ClassVar

from typing_extensions import override

from echomind_ingestor.connectors import protocol
from tests.conformance.double import Ability, Audience, ConnectorSetup, Expected, SourceDouble
from tests.conformance.doubles.memory import ORGANIZATION, TENANTS, Node, Tenant, user_of


class MemoryDouble(SourceDouble):
    """The reference source."""

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
            "permissions",
        }
    )
    audiences: ClassVar[frozenset[Audience]] = frozenset({"link", "organization", "public"})

    def __init__(self) -> None:
        self.tenant = Tenant()
        self._name = f"tenant {len(TENANTS)}"
        TENANTS[self._name] = self.tenant

    @override
    async def __aexit__(self, *_: object) -> None:
        TENANTS[self._name] = Tenant()

    @override
    def setup(self) -> ConnectorSetup:
        return ConnectorSetup(type="memory", config={"tenant": self._name})

    @override
    def expected(self) -> dict[str, Expected]:
        return {
            node.id: Expected(name=node.name, content=node.content, folder=self.tenant.path(node.parent))
            for node in self.tenant.nodes.values()
            if node.content is not None
        }

    @override
    def put_now(self, name: str, content: bytes, *, folder: str = "") -> str:
        tenant = self.tenant
        for node in tenant.nodes.values():
            if (node.name, node.parent) == (name, folder) and node.content is not None:
                node.content = content
                node.version = next(tenant.numbers)
                tenant.touch(node.id)
                return node.id
        number = next(tenant.numbers)
        # Ids are not in the order of creation: items added during a listing may sort before its position.
        found = Node(f"{(number * 7919) % 10_007:05}-{number}", name, folder, content, number)
        tenant.nodes[found.id] = found
        tenant.touch(found.id)
        return found.id

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        return self.put_now(name, content, folder=folder)

    @override
    async def make_folder(self, name: str, *, parent: str = "") -> str:
        number = next(self.tenant.numbers)
        found = Node(f"{(number * 7919) % 10_007:05}-{number}", name, parent, None, number)
        self.tenant.nodes[found.id] = found
        self.tenant.touch(found.id)
        return found.id

    @override
    async def rename(self, source_id: str, name: str) -> str:
        self.tenant.nodes[source_id].name = name
        self.tenant.touch(source_id)
        return source_id

    @override
    async def move(self, source_id: str, folder: str) -> str:
        self.tenant.nodes[source_id].parent = folder
        self.tenant.touch(source_id)
        return source_id

    @override
    async def delete(self, source_id: str) -> None:
        for each in self.tenant.below(source_id):
            self.tenant.trash[each] = self.tenant.nodes.pop(each)
            self.tenant.touch(each)

    @override
    async def restore(self, source_id: str) -> None:
        self.tenant.nodes[source_id] = self.tenant.trash.pop(source_id)
        self.tenant.touch(source_id)

    @override
    def page_size(self, items: int) -> None:
        self.tenant.page_size = items

    @override
    def after_page(self, action: Callable[[], object]) -> None:
        self.tenant.after_page = action

    @override
    def limit_rate(self, requests: int, retry_after: str | None) -> None:
        self.tenant.refused = requests
        asked = retry_after or ""
        self.tenant.retry_after = float(asked) if asked.isdigit() else 0.0

    @override
    def expire_cursor(self) -> None:
        self.tenant.epoch += 1

    @override
    def revoke(self) -> None:
        self.tenant.is_revoked = True

    @override
    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        (self.tenant.broken.add if broken else self.tenant.broken.discard)(source_id)

    @override
    def add_person(self, name: str, *, is_guest: bool = False) -> str:
        email = f"{name}@example.org"
        self.tenant.people[email] = is_guest
        return email

    @override
    def add_group(self, *members: str) -> str:
        key = protocol.group_key("memory", f"g{next(self.tenant.numbers)}")
        self.set_group(key, *members)
        return key

    @override
    def set_group(self, group: str, *members: str) -> None:
        self.tenant.groups[group] = set(map(_key, members))

    @override
    def share(self, source_id: str, *readers: str, audience: Audience | None = None) -> None:
        wide = {None: (), "link": (), "organization": (ORGANIZATION,), "public": (protocol.ANONYMOUS,)}[audience]
        principals = frozenset([*map(_key, readers), *wide])
        self.tenant.nodes[source_id].readers = protocol.Readers(principals=principals, inherits=True)
        self.tenant.touch(source_id)

    @override
    def hide_readers(self, source_id: str, *, hidden: bool = True) -> None:
        (self.tenant.hidden.add if hidden else self.tenant.hidden.discard)(source_id)
        self.tenant.touch(source_id)


def _key(reader: str) -> str:
    return user_of(reader) if "@" in reader else reader

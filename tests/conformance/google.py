"""Google Drive in the suite: the My Drive of a person behind the interface of Google."""

import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Self

from typing_extensions import override

from tests.conformance.double import Ability, Audience, ConnectorSetup, Expected, SourceDouble
from tests.conformance.doubles.google.server import GoogleServer
from tests.conformance.doubles.google.tenant import DOMAIN, FOLDER, Grant, Node, Tenant
from tests.conformance.doubles.google.tokens import PRIVATE_KEY

KEY: Final = json.dumps(
    {
        "type": "service_account",
        "project_id": "project",
        "private_key_id": "k1",
        "private_key": PRIVATE_KEY,
        "client_email": "reader@project.iam.gserviceaccount.com",
        "client_id": "1234567890",
        "token_uri": "https://evil.test/token",
    }
)
"""The file of a service account's key; its address must never be used."""


class GoogleDriveDouble(SourceDouble):
    """The My Drive of Ann. What is deleted lies in the trash."""

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
    audiences: ClassVar[frozenset[Audience]] = frozenset({"link", "organization", "public"})

    def __init__(self) -> None:
        self.tenant = Tenant()
        self.server = GoogleServer(self.tenant)
        self._ann = self.tenant.person("ann")
        self._stack = AsyncExitStack()

    @override
    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.server.running())
        return self

    @override
    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        assert self.server.violations == []

    @override
    def setup(self) -> ConnectorSetup:
        origin = self.server.origin
        return ConnectorSetup(
            type="google_drive",
            config={"my_drive": True},
            permission_mode="source",
            credentials={"service_account": {"key": KEY, "subject": self._ann}},
            server={
                "google_api_url": origin,
                "google_directory_url": origin,
                "google_token_url": f"{origin}/token",
            },
        )

    @override
    def expected(self) -> dict[str, Expected]:
        return {
            node.id: Expected(name=node.name, content=node.content, folder=self._path(node.parent))
            for node in self.tenant.nodes.values()
            if node.mime_type != FOLDER and not self.tenant.is_in_trash(node.id)
        }

    @override
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        parent = folder or self.tenant.root_of(self._ann)
        for node in self.tenant.nodes.values():
            if (node.name, node.parent, node.is_trashed) == (name, parent, False):
                self.tenant.change(node, content=content)
                return node.id
        times: dict[str, Any] = {"modified": datetime(2001, 1, 1, tzinfo=UTC)} if old else {}
        return self.tenant.add(name, self._ann, parent, content=content, **times).id

    @override
    async def delete(self, source_id: str) -> None:
        self.tenant.trash(self._node(source_id))

    @override
    async def make_folder(self, name: str, *, parent: str = "") -> str:
        return self.tenant.folder(name, self._ann, parent).id

    @override
    async def rename(self, source_id: str, name: str) -> str:
        self.tenant.change(self._node(source_id), name=name)
        return source_id

    @override
    async def move(self, source_id: str, folder: str) -> str:
        self.tenant.move(self._node(source_id), folder or self.tenant.root_of(self._ann))
        return source_id

    @override
    async def restore(self, source_id: str) -> None:
        self.tenant.trash(self._node(source_id), is_trashed=False)

    @override
    def page_size(self, items: int) -> None:
        self.tenant.page_size = items

    @override
    def after_page(self, action: Callable[[], object]) -> None:
        self.tenant.faults.after_page = action

    @override
    def limit_rate(self, requests: int, retry_after: str | None) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        self.tenant.faults.refusals = [("/files", 429, "rateLimitExceeded", headers)] * requests

    @override
    def expire_cursor(self) -> None:
        self.tenant.forget_changes()

    @override
    def revoke(self) -> None:
        self.tenant.faults.is_revoked = True

    @override
    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        unreadable = self.tenant.faults.unreadable
        (unreadable.add if broken else unreadable.discard)(source_id)

    @override
    def expire_tokens(self) -> None:
        self.server.expire_tokens()

    @override
    def put_now(self, name: str, content: bytes) -> object:
        return self.tenant.add(name, self._ann, content=content)

    @override
    def add_person(self, name: str, *, is_guest: bool = False) -> str:
        if is_guest:  # not in the directory
            return f"{name}@elsewhere.test"
        return self.tenant.person(name)

    @override
    def add_group(self, *members: str) -> str:
        return self.tenant.group(f"group{len(self.tenant.groups)}", *members)

    @override
    def set_group(self, group: str, *members: str) -> None:
        self.tenant.groups[group] = set(members)

    @override
    def share(self, source_id: str, *readers: str, audience: Audience | None = None) -> None:
        grants = [Grant("group" if each in self.tenant.groups else "user", each) for each in readers]
        wide = {"link": Grant("anyone"), "public": Grant("anyone", discoverable=True)}
        wide["organization"] = Grant("domain", DOMAIN, discoverable=True)
        self.tenant.share(self._node(source_id), *grants, *([wide[audience]] if audience else []))

    @override
    def hide_readers(self, source_id: str, *, hidden: bool = True) -> None:
        unshown = self.tenant.faults.unshown
        (unshown.add if hidden else unshown.discard)(source_id)
        self.tenant.change(self._node(source_id))

    def _node(self, source_id: str) -> Node:
        return self.tenant.nodes[source_id]

    def _path(self, folder: str) -> str:
        names: list[str] = []
        while folder:
            names.insert(0, self._node(folder).name)
            folder = self._node(folder).parent
        return " / ".join(names)

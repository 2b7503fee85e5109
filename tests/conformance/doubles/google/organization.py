"""An organization at Google: a tenant with a few people, its server, and what a source stores of it."""

from typing import Any

from pydantic import SecretStr

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.google_drive.source import GoogleDriveSource
from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.connectors.types.google_drive import (
    GoogleDriveCredentials,
    GoogleDriveSettings,
    ServiceAccount,
)
from tests.conformance.doubles.google.server import GoogleServer
from tests.conformance.doubles.google.tenant import Tenant
from tests.conformance.doubles.google.tokens import CLIENT, REFRESH_TOKEN
from tests.conformance.doubles.stored import Stored
from tests.conformance.google import KEY


class Organization(Tenant):
    """A tenant with a few people, its server, and what is stored of it."""

    def __init__(self) -> None:
        super().__init__()
        self.ann, self.bob, self.eve = self.person("ann"), self.person("bob"), self.person("eve")
        self.server = GoogleServer(self)
        self.stored = Stored()
        self.people_by_key: dict[str, protocol.Person] = {}
        self.groups_by_key: dict[str, protocol.Group] = {}
        self.saved: list[Any] = []

    def source(
        self, *, oauth: bool = False, syncs_permissions: bool = True, max_bytes: int = 10**8, **settings: Any
    ) -> GoogleDriveSource:
        credentials = (
            GoogleDriveCredentials(oauth=OAuthGrant(refresh_token=REFRESH_TOKEN, account=self.ann))
            if oauth
            else GoogleDriveCredentials(service_account=ServiceAccount(key=KEY, subject=self.ann))
        )

        async def save(replaced: Any) -> None:
            self.saved.append(replaced)

        origin = self.server.origin
        return GoogleDriveSource(
            protocol.SourceContext(
                connector_id=1,
                settings=GoogleDriveSettings(**(settings or {"my_drive": True})),
                credentials=credentials,
                syncs_permissions=syncs_permissions,
                save_credentials=save,
                find_known=self.stored.find_known,
                find_children=self.stored.find_children,
                server=ConnectorSettings(
                    google_api_url=origin,
                    google_directory_url=origin,
                    google_token_url=f"{origin}/token",
                    google_client_id=CLIENT[0],
                    google_client_secret=SecretStr(CLIENT[1]),
                ),
                max_bytes=max_bytes,
            )
        )

    async def sync(self, *, most_pages: int | None = None, **of: Any) -> Stored:
        """Reads changes, and the groups that readers name."""
        at = len(self.stored.pages)
        await self.stored.read(self.source(**of), most_pages=most_pages)
        for page in self.stored.pages[at:]:
            self.people_by_key |= {person.key: person for person in page.people}
        await self.read_groups(**of)
        return self.stored

    async def read_groups(self, **of: Any) -> None:
        readers = [item.readers for item in self.stored.items.values()]
        readers += [folder.readers for folder in self.stored.folders.values()]
        named = {key for each in readers if each for key in each.principals if not key.startswith("user:")}
        async with self.source(**of) as source:
            async for page in source.groups(sorted(named - {protocol.ANONYMOUS})):
                self.people_by_key |= {person.key: person for person in page.people}
                self.groups_by_key |= {group.key: group for group in page.groups}

    def readers_of(self, name: str) -> set[str]:
        """Returns the addresses of those who may read an item here, by what the source said."""
        return self.readers_here(self.stored.item(name))

    def readers_here(self, item: protocol.Item) -> set[str]:
        return self._resolve(item.readers, item.folder_id)

    def _resolve(self, readers: protocol.Readers | None, folder_id: str) -> set[str]:
        if readers is None or not readers.is_known:
            return set()
        found: set[str] = set()
        for key in readers.principals:
            found |= self._emails(key)
        if readers.inherits and (folder := self.stored.folders.get(folder_id)):
            found |= self._resolve(folder.readers, folder.parent_id)
        return found

    def _emails(self, key: str) -> set[str]:
        if key == protocol.ANONYMOUS:
            return set(self.people) - self.suspended
        if group := self.groups_by_key.get(key):
            return {email for member in group.members for email in self._emails(member)}
        return {self.people_by_key[key].email} if key in self.people_by_key else set()

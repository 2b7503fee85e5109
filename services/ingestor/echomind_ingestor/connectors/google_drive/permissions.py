"""Google's permissions as readers.

| At Google                                        | Reader                                                       |
| ------------------------------------------------ | ------------------------------------------------------------ |
| a person                                         | the person, by the id of the permission                      |
| a group                                          | the group, by its id in the directory                        |
| a domain, to be found by search                  | everybody of the domain, without guests                      |
| anyone, to be found by search                    | the public                                                   |
| a domain or anyone, with the link alone          | nobody                                                       |
| a view (`published`, `metadata`)                 | nobody: it shows a published copy or the name, not the file  |
| an account that is deleted, a grant that expired | nobody                                                       |

In a shared drive, an item without own permissions has the readers of its folder. Elsewhere, a file's permissions
include those of its folders.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Final

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.google_drive.client import DirectoryClient, DriveClient
from echomind_ingestor.connectors.google_drive.resources import File, Permission
from echomind_ingestor.connectors.vendor_client import RequestRefusedError

PROVIDER: Final = "google"
MAX_EXPIRING: Final = 200
"""Maximum number of items with an expiring grant, which are read again after it; others do not get such grants."""
_UNREADABLE = frozenset({403, 404})


class PermissionReader:
    """Reads the readers of files. Use one per sync."""

    def __init__(
        self, drive: DriveClient, directory: DirectoryClient | None, *, is_on: bool, expiring: dict[str, str]
    ) -> None:
        """Initializes the object without a request.

        Args:
            drive: The drive to read permissions from.
            directory: The directory of groups; None without permission to read it.
            is_on: Whether permissions are synced.
            expiring: Expiry of the first grant of an item, by the item's ID; updated.
        """
        self._drive = drive
        self._directory = directory
        self._is_on = is_on
        self.expiring = expiring
        self._groups: dict[str, str] = {}
        self._people: dict[str, protocol.Person] = {}
        self.unreadable = 0
        """Number of items whose permissions could not be read."""
        self._problem = ""

    def take_problem(self) -> str:
        """Returns once why groups cannot be found; empty if they can."""
        problem, self._problem = self._problem, ""
        return problem

    def take_people(self) -> Sequence[protocol.Person]:
        """Returns the people that were named since the last call."""
        people = list(self._people.values())
        self._people = {}
        return people

    async def read(self, files: Sequence[File], *, roots: bool = False) -> list[protocol.Readers | None]:
        """Returns the readers of each file; None for all if permissions are not synced.

        Args:
            files: The files.
            roots: Whether their parent folders are not synced.

        Raises:
            SourceError: Nothing can be read.
        """
        if not self._is_on:
            return [None] * len(files)
        return await asyncio.gather(*(self._read(file, is_root=roots) for file in files))

    async def read_drive(self, drive_id: str) -> protocol.Readers | None:
        """Returns the members of a shared drive.

        Raises:
            SourceError: Nothing can be read.
        """
        return await self._listed(drive_id) if self._is_on else None

    async def _read(self, file: File, *, is_root: bool) -> protocol.Readers:
        if not file.drive_id and file.permissions:
            return await self._map(file.id, file.permissions)
        inherits = bool(file.drive_id) and not file.inherited_permissions_disabled and not is_root
        if inherits and not file.has_augmented_permissions:
            self.expiring.pop(file.id, None)
            return protocol.INHERITED
        return await self._listed(file.id, inherits=inherits)

    async def _listed(self, file_id: str, *, inherits: bool = False) -> protocol.Readers:
        try:
            permissions = await self._drive.permissions(file_id)
        except RequestRefusedError as error:
            if error.status not in _UNREADABLE:
                raise
            self.unreadable += 1
            return protocol.UNKNOWN
        if inherits:
            permissions = [permission for permission in permissions if permission.is_direct]
        return await self._map(file_id, permissions, inherits=inherits)

    async def _map(
        self, file_id: str, permissions: Sequence[Permission], *, inherits: bool = False
    ) -> protocol.Readers:
        now = datetime.now(UTC)
        ends: list[datetime] = []
        principals: set[str] = set()
        has_room = file_id in self.expiring or len(self.expiring) < MAX_EXPIRING
        for permission in permissions:
            if permission.expiration_time:
                end = datetime.fromisoformat(permission.expiration_time)
                if end <= now or not has_room:
                    continue
                ends.append(end)
            if principal := await self._principal(permission):
                principals.add(principal)
        if ends:
            self.expiring[file_id] = min(ends).isoformat()
        else:
            self.expiring.pop(file_id, None)
        return protocol.Readers(principals=frozenset(principals), inherits=inherits)

    async def _principal(self, permission: Permission) -> str:
        """Returns the principal to whom a permission grants reading; empty for none."""
        if permission.view or permission.deleted:
            return ""
        match permission.type:
            case "user":
                key = protocol.user_key(PROVIDER, permission.id)
                self._people[key] = protocol.Person(
                    key=key, email=permission.email_address, name=permission.display_name
                )
                return key
            case "group":
                return await self._group(permission)
            case "domain" if permission.allow_file_discovery and permission.domain:
                return protocol.tenant_key(PROVIDER, permission.domain.lower())
            case "anyone" if permission.allow_file_discovery:
                return protocol.ANONYMOUS
            case _:
                return ""

    async def _group(self, permission: Permission) -> str:
        """Returns the group of a permission by its directory id, which is never reused.

        A group that the directory does not have, such as one of another organization, has no members here.
        """
        email = permission.email_address.lower()
        if email not in self._groups:
            found = None
            if self._directory is not None and email:
                try:
                    found = await self._directory.find_group(email)
                except RequestRefusedError as error:
                    if error.status != 403:
                        raise
                except protocol.CredentialsRejectedError as error:
                    self._directory = None
                    self._problem = f"{error.message} Until then groups grant nobody; run a full sync afterwards."
            self._groups[email] = protocol.group_key(PROVIDER, found.id if found else f"unknown-{permission.id}")
        return self._groups[email]


async def read_groups(directory: DirectoryClient | None, named: Sequence[str]) -> AsyncIterator[protocol.GroupPage]:
    """Yields groups and domains with their members.

    Args:
        directory: The directory to read them from; None without permission to read it.
        named: Their keys.

    Raises:
        SourceError: Nothing can be read.
    """
    are_all_read = True
    for key in named:
        kind, _, rest = key.partition(":")
        source_id = rest.partition(":")[2]
        page = await _read_members(directory, key, kind, source_id)
        are_all_read = are_all_read and all(group.is_complete for group in page.groups)
        yield page
    yield protocol.GroupPage(is_complete=are_all_read)


async def _read_members(directory: DirectoryClient | None, key: str, kind: str, source_id: str) -> protocol.GroupPage:
    if source_id.startswith("unknown-"):
        return protocol.GroupPage(groups=[protocol.Group(key=key, name="A group that the directory does not have")])
    if directory is None:
        return protocol.GroupPage(groups=[protocol.Group(key=key, is_complete=False)])
    try:
        if kind == "tenant":
            people = await _everyone(directory, domain=source_id)
            name = source_id
        else:
            group = await directory.find_group(source_id)
            if group is None:
                return protocol.GroupPage(groups=[protocol.Group(key=key)])
            name = group.name or group.email
            people = await _members(directory, source_id)
    except protocol.CredentialsRejectedError as error:
        raise protocol.SourceError(error.message) from None  # the files can be read nevertheless
    except RequestRefusedError as error:
        if error.status not in _UNREADABLE:
            raise
        return protocol.GroupPage(groups=[protocol.Group(key=key, is_complete=False)])
    members = frozenset(person.key for person in people)
    return protocol.GroupPage(groups=[protocol.Group(key=key, name=name, members=members)], people=people)


async def _members(directory: DirectoryClient, group_id: str) -> list[protocol.Person]:
    people = []
    async for member in directory.members(group_id):
        if member.type == "CUSTOMER":
            people += await _everyone(directory, customer="my_customer")
        elif member.type == "USER" and member.status in ("", "ACTIVE"):
            people.append(protocol.Person(key=_directory_key(member.id), email=member.email))
    return people


async def _everyone(directory: DirectoryClient, **of: str) -> list[protocol.Person]:
    return [
        protocol.Person(key=_directory_key(user.id), email=user.primary_email, name=user.name.full_name)
        async for user in directory.users(**of)
        if not (user.suspended or user.archived or user.is_guest_user)
    ]


def _directory_key(user_id: str) -> str:
    """Returns the principal of a directory user, whose id differs from the one in permissions."""
    return protocol.user_key(PROVIDER, f"directory-{user_id}")

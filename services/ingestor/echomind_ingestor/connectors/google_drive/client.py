"""Requests to the Drive and Directory APIs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec

from echomind_ingestor.connectors.downloads import Download
from echomind_ingestor.connectors.google_drive.resources import (
    ChangePage,
    Drive,
    DrivePage,
    File,
    FilePage,
    Group,
    Member,
    MemberPage,
    Permission,
    PermissionPage,
    Resource,
    StartToken,
    User,
    UserPage,
)
from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.protocol import CursorExpiredError, SourceContext, SourceError
from echomind_ingestor.connectors.sign_in import refresh_token
from echomind_ingestor.connectors.tokens import AccessTokens, Grant, SignedAssertion
from echomind_ingestor.connectors.vendor_client import RequestRefusedError, Vendor, VendorClient, VendorError
from echomind_lib.connectors.oauth import oauth_provider
from echomind_lib.connectors.types.google_drive import (
    GROUPS_SCOPE,
    READ_SCOPE,
    USERS_SCOPE,
    GoogleDriveCredentials,
    GoogleDriveSettings,
)

EXPORT_BYTES: Final = 10 * 1024 * 1024
"""Maximum size of an export."""
_THROTTLED = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded"})
_PERMISSION = (
    "id,type,emailAddress,displayName,domain,view,allowFileDiscovery,expirationTime,deleted,"
    "permissionDetails(inherited)"
)
_FILE = (
    "id,name,mimeType,parents,driveId,ownedByMe,trashed,webViewLink,size,modifiedTime,version,md5Checksum,"
    "sha256Checksum,headRevisionId,shortcutDetails(targetId,targetMimeType,targetResourceKey),"
    "capabilities(canDownload),hasAugmentedPermissions,inheritedPermissionsDisabled"
)
_ALL_DRIVES = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}

R = TypeVar("R", bound=Resource)


def _read_error(status: int, body: Any) -> VendorError:
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return VendorError()
    errors = error.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    reason = str(first.get("reason") or error.get("status") or "")
    return VendorError(
        reason=reason,
        detail=str(error.get("message") or ""),
        is_throttled=status in (403, 429) and reason in _THROTTLED,
    )


GOOGLE: Final = Vendor(name="Google", read_error=_read_error)


class GoogleAccess:
    """The connections and access tokens of a connector; one token per scope, so that a missing one can be named."""

    def __init__(self, context: SourceContext[GoogleDriveSettings]) -> None:
        """Must be created in a running event loop."""
        server = context.server
        self._context = context
        self._credentials: GoogleDriveCredentials = context.credentials
        self.session = SourceSession(
            [server.google_api_url, server.google_token_url, server.google_directory_url], context.allowed_hosts
        )
        self.drive = DriveClient(
            self._client(f"{server.google_api_url}/drive/v3", READ_SCOPE),
            reads_permissions=context.syncs_permissions,
            limit=context.max_bytes,
        )
        directory = server.google_directory_url
        self.directory = (
            DirectoryClient(self._client(directory, GROUPS_SCOPE), self._client(directory, USERS_SCOPE))
            if self._credentials.service_account is not None
            else None
        )

    def _client(self, url: str, scope: str) -> VendorClient:
        grant, tenant = self._grant(scope)
        tokens = AccessTokens(GOOGLE.name, self.session, self._context.server.google_token_url, grant)
        return VendorClient(GOOGLE, self.session, url, tokens, tenant=tenant)

    def _grant(self, scope: str) -> tuple[Grant, str]:
        """Returns the grant for tokens, and the key of Google's rate limit."""
        account, server = self._credentials.service_account, self._context.server
        if account is not None:
            key = account.read_key()
            advice = (
                f"In the Google Admin console, under API controls, domain-wide delegation, allow the client "
                f"{key.client_id or key.client_email} the scope {scope}, and check that {account.subject} is an "
                "active user."
            )
            grant = SignedAssertion(
                issuer=key.client_email,
                private_key=key.private_key,
                key_id=key.private_key_id,
                audience=server.google_token_url,
                scopes=[scope],
                subject=account.subject,
                advice=advice,
            )
            return grant, f"{key.project_id}/{account.subject}"
        oauth = self._credentials.oauth
        assert oauth is not None, "GoogleDriveCredentials"
        person = refresh_token(self._context, oauth_provider(server, "google"))
        return person, f"{server.google_client_id}/{oauth.account}"


class DriveClient:
    """The Drive API."""

    def __init__(self, client: VendorClient, *, reads_permissions: bool, limit: int) -> None:
        self._client = client
        self._file = f"{_FILE},permissions({_PERMISSION})" if reads_permissions else _FILE
        self._limit = limit

    async def list_files(self, query: str, *, drive_id: str = "", page_token: str = "", size: int = 1000) -> FilePage:
        """Returns a page of files: of a shared drive, or outside of shared drives.

        Raises:
            RequestRefusedError: The status is 400 if the token is no longer known.
            SourceError: It cannot be read.
        """
        corpus = {"corpora": "drive", "driveId": drive_id} if drive_id else {"corpora": "user"}
        params = {
            "q": query,
            "pageSize": str(size),
            "fields": f"nextPageToken,incompleteSearch,files({self._file})",
            **_ALL_DRIVES,
            **corpus,
            **({"pageToken": page_token} if page_token else {}),
        }
        return _convert(await self._client.get("files", params), FilePage)

    async def find_file(self, file_id: str, resource_key: str = "") -> File | None:
        """Returns a file; None if there is none that the account may see.

        Raises:
            RequestRefusedError: The account may not read it.
            SourceError: It cannot be read.
        """
        params = {"fields": self._file, "supportsAllDrives": "true"}
        try:
            answer = await self._client.get(f"files/{_id(file_id)}", params, _keys(file_id, resource_key))
        except RequestRefusedError as error:
            if error.status == 404:
                return None
            raise
        return _convert(answer, File)

    async def permissions(self, file_id: str) -> Sequence[Permission]:
        """Returns the permissions of a file, folder or shared drive.

        Raises:
            RequestRefusedError: The account may not read them.
            SourceError: They cannot be read.
        """

        async def read(token: str) -> PermissionPage:
            params = {
                "pageSize": "100",
                "supportsAllDrives": "true",
                "fields": f"nextPageToken,permissions({_PERMISSION})",
                **({"pageToken": token} if token else {}),
            }
            return _convert(await self._client.get(f"files/{_id(file_id)}/permissions", params), PermissionPage)

        pages = read_pages(read, lambda page: page.next_page_token, what="permissions")
        return [permission async for page in pages for permission in page.permissions]

    async def drives(self) -> Sequence[Drive]:
        """Returns the shared drives that the account is a member of.

        Raises:
            SourceError: They cannot be read.
        """

        async def read(token: str) -> DrivePage:
            params = {"pageSize": "100", "fields": "nextPageToken,drives(id,name)"}
            if token:
                params["pageToken"] = token
            return _convert(await self._client.get("drives", params), DrivePage)

        pages = read_pages(read, lambda page: page.next_page_token, what="shared drives")
        return [drive async for page in pages for drive in page.drives]

    async def find_drive(self, drive_id: str) -> Drive | None:
        """Returns a shared drive; None if there is none of which the account is a member.

        Raises:
            SourceError: It cannot be read.
        """
        try:
            return _convert(await self._client.get(f"drives/{_id(drive_id)}", {"fields": "id,name"}), Drive)
        except RequestRefusedError as error:
            if error.status in (403, 404):
                return None
            raise

    async def start_token(self, drive_id: str = "") -> str:
        """Returns the end of a change log: of a shared drive, or of the account.

        Raises:
            SourceError: It cannot be read.
        """
        params = {"supportsAllDrives": "true", "fields": "startPageToken", **_drive(drive_id)}
        return _convert(await self._client.get("changes/startPageToken", params), StartToken).start_page_token

    async def changes(self, token: str, drive_id: str = "") -> ChangePage:
        """Returns a page of a change log.

        Raises:
            CursorExpiredError: The token is no longer known.
            RequestRefusedError: The account is no longer a member of the shared drive.
            SourceError: It cannot be read.
        """
        params = {
            "pageToken": token,
            "pageSize": "1000",
            "includeRemoved": "true",
            "fields": f"nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file({self._file}))",
            **_ALL_DRIVES,
            **_drive(drive_id),
        }
        try:
            return _convert(await self._client.get("changes", params), ChangePage)
        except RequestRefusedError as error:
            if error.status in (400, 410):
                raise CursorExpiredError("Google does not know the place in its change log any more.") from None
            raise

    def download(self, file_id: str, resource_key: str = "") -> Download:
        """Returns the content of a file, to be opened."""
        url = self._client.url(f"files/{_id(file_id)}", {"alt": "media", "supportsAllDrives": "true"})
        return Download(self._client, url, limit=self._limit, headers=_keys(file_id, resource_key))

    async def export(self, file_id: str, mime_type: str, resource_key: str = "") -> bytes:
        """Exports a document of a Google format to another format.

        Raises:
            RequestRefusedError: It is too large, or may not be exported.
            SourceError: It cannot be read.
        """
        content, _ = await self._client.read_bytes(
            f"files/{_id(file_id)}/export",
            {"mimeType": mime_type},
            limit=2 * EXPORT_BYTES,
            headers=_keys(file_id, resource_key),
        )
        return content


class DirectoryClient:
    """The Directory API of a Google Workspace domain."""

    def __init__(self, groups: VendorClient, users: VendorClient) -> None:
        self._groups = groups
        self._users = users

    async def find_group(self, key: str) -> Group | None:
        """Returns a group by its e-mail address or id; None if the organization has none.

        Raises:
            RequestRefusedError: It may not be read.
            SourceError: It cannot be read.
        """
        try:
            answer = await self._groups.get(f"admin/directory/v1/groups/{_id(key)}", {"fields": "id,email,name"})
        except RequestRefusedError as error:
            if error.status == 404:
                return None
            raise
        return _convert(answer, Group)

    async def members(self, group_id: str) -> AsyncIterator[Member]:
        """Yields the members of a group and of nested groups.

        Raises:
            RequestRefusedError: They may not be read.
            SourceError: They cannot be read.
        """

        async def read(token: str) -> MemberPage:
            params = {
                "maxResults": "200",
                "includeDerivedMembership": "true",
                "fields": "nextPageToken,members(id,email,type,status)",
                **({"pageToken": token} if token else {}),
            }
            return _convert(
                await self._groups.get(f"admin/directory/v1/groups/{_id(group_id)}/members", params), MemberPage
            )

        async for page in read_pages(read, lambda page: page.next_page_token, what="members of a group"):
            for member in page.members:
                yield member

    async def users(self, **of: str) -> AsyncIterator[User]:
        """Yields the people of a domain (`domain="example.org"`) or of all (`customer="my_customer"`).

        Raises:
            RequestRefusedError: They may not be read.
            SourceError: They cannot be read.
        """

        async def read(token: str) -> UserPage:
            params = {
                **of,
                "maxResults": "500",
                "fields": "nextPageToken,users(id,primaryEmail,name(fullName),suspended,archived,isGuestUser)",
                **({"pageToken": token} if token else {}),
            }
            return _convert(await self._users.get("admin/directory/v1/users", params), UserPage)

        async for page in read_pages(read, lambda page: page.next_page_token, what="users"):
            for user in page.users:
                yield user


def _convert(answer: dict[str, Any], type_: type[R]) -> R:
    try:
        return msgspec.convert(answer, type_)
    except msgspec.ValidationError as error:
        raise SourceError(f"Google answered in a form that is not understood: {error}.") from None


def _id(text: str) -> str:
    return quote(text, safe="")


def _drive(drive_id: str) -> dict[str, str]:
    return {"driveId": drive_id} if drive_id else {}


def _keys(file_id: str, resource_key: str) -> Mapping[str, str]:
    """Returns the header that opens a file of an old link: https://developers.google.com/drive/api/guides/resource-keys."""
    return {"X-Goog-Drive-Resource-Keys": f"{file_id}/{resource_key}"} if resource_key else {}

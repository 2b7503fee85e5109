"""Microsoft Graph, shared by all Microsoft 365 sources: requests, errors, lists, and principals.

Source: learn.microsoft.com/graph (errors, paging, throttling); the required rights are in docs/guide/microsoft-365.md.
"""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

from typing_extensions import override

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.sign_in import refresh_token
from echomind_ingestor.connectors.tokens import AccessTokens, ClientCredentials, Grant
from echomind_ingestor.connectors.vendor_client import Json, RequestRefusedError, Vendor, VendorClient, VendorError
from echomind_lib.connectors.oauth import oauth_provider
from echomind_lib.connectors.types.microsoft import MicrosoftCredentials

PROVIDER: Final = "entra"
"""The provider in principals' keys."""
_EXPIRED: Final = re.compile(r"^(resync|syncStateNotFound$|syncStateInvalid$)", re.IGNORECASE)
_THROTTLED: Final = frozenset({"activityLimitReached", "TooManyRequests", "throttledRequest"})
_TRANSIENT: Final = frozenset({"serviceNotAvailable", "generalException", "UnknownError"})
_MEMBERS: Final = 999
"""Page size of directory lists; the API's maximum."""


def read_error(status: int, body: Any) -> VendorError:
    """Reads the error of a Microsoft Graph response: `{"error": {"code", "message"}}`."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return VendorError()
    code, message = str(error.get("code") or ""), str(error.get("message") or "")
    return VendorError(
        reason=code,
        detail=message,
        is_throttled=code in _THROTTLED,
        is_transient=status >= 500 and code in _TRANSIENT,
    )


MICROSOFT_GRAPH: Final = Vendor(name="Microsoft Graph", read_error=read_error)


def segment(value: str) -> str:
    """Returns an id as a part of a path."""
    return quote(value, safe="!$@:,~")


def parse_time(text: str) -> datetime:
    """Parses a time of Microsoft Graph, with up to seven fractional digits.

    Raises:
        ValueError: It is not a time with a zone.
    """
    short = re.sub(r"(\.\d{1,6})\d*", r"\1", text.replace("Z", "+00:00"))
    time = datetime.fromisoformat(short)
    if time.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return time.astimezone(UTC)


class Graph:
    """Microsoft Graph for one connector. Use it as an asynchronous context manager."""

    def __init__(self, context: protocol.SourceContext[Any]) -> None:
        """Must be created in a running event loop.

        Args:
            context: The connector's credentials, and the addresses of Microsoft's servers.
        """
        credentials: MicrosoftCredentials = context.credentials
        server = context.server
        self._session = SourceSession([server.microsoft_graph_url, server.microsoft_login_url], context.allowed_hosts)
        login = server.microsoft_login_url.rstrip("/")
        graph = server.microsoft_graph_url.rstrip("/")
        grant: Grant
        if (application := credentials.application) is not None:
            grant = ClientCredentials(
                client_id=application.client_id,
                client_secret=application.client_secret,
                scope=f"{graph}/.default",
            )
            url, tenant = f"{login}/{segment(application.tenant_id)}/oauth2/v2.0/token", application.tenant_id
        else:
            provider = oauth_provider(server, "microsoft")
            grant = refresh_token(context, provider)
            url, tenant = provider.token_url, provider.client_id
        tokens = AccessTokens("Microsoft", self._session, url, grant)
        self.client = VendorClient(MICROSOFT_GRAPH, self._session, f"{graph}/v1.0", tokens, tenant=tenant)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def get(
        self, path: str, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Json:
        """Returns the response of a path.

        Raises:
            CursorExpiredError: The link of a change list is no longer known.
            RequestRefusedError: The request is rejected.
            SourceError: It cannot be read.
        """
        try:
            return await self.client.get(path, params, headers)
        except RequestRefusedError as error:
            if error.status == 410 or _EXPIRED.match(error.reason):
                raise protocol.CursorExpiredError(
                    f"Microsoft Graph has forgotten the position in its changes: {error.detail}"
                ) from None
            raise

    async def pages(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        start: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Json]:
        """Yields the pages of a list.

        Args:
            path: The list's path.
            params: Parameters of its first page; links to further pages contain them.
            start: The link to start at instead.
            headers: Sent with each request.

        Raises:
            CursorExpiredError: As for `get`, which may also raise SourceError.
        """

        async def read(link: str) -> Json:
            return await self.get(link, None, headers) if link else await self.get(path, params, headers)

        async for page in read_pages(read, lambda page: page.get("@odata.nextLink"), start=start, what=path):
            yield page

    async def values(self, path: str, params: Mapping[str, str] | None = None) -> AsyncIterator[Json]:
        """Yields the values of a list, page after page."""
        async for page in self.pages(path, params):
            for value in page.get("value", ()):
                yield value

    async def tenant(self) -> str:
        """Returns the id of the organization.

        Raises:
            SourceError: It cannot be read.
        """
        async for organization in self.values("organization", {"$select": "id"}):
            return str(organization["id"])
        raise protocol.SourceError("Microsoft Graph names no organization: sign in with a work or school account.")

    async def groups(self, named: Sequence[str]) -> AsyncIterator[protocol.GroupPage]:
        """Yields all users of the directory, the organization as a group, and the named groups.

        Guests are not members of the organization. A removed group has no members. A member of whom only the id is
        readable counts as unreadable.
        """
        tenant = await self.tenant()
        members: set[str] = set()
        select = {"$select": "id,mail,userPrincipalName,displayName,userType,accountEnabled", "$top": str(_MEMBERS)}
        async for page in self.pages("users", select):
            people = [_person(user) for user in page.get("value", ())]
            members |= {
                protocol.user_key(PROVIDER, user["id"])
                for user in page.get("value", ())
                if user.get("userType") == "Member" and user.get("accountEnabled")
            }
            yield protocol.GroupPage(people=people)
        yield protocol.GroupPage(
            groups=[
                protocol.Group(
                    key=protocol.tenant_key(PROVIDER, tenant),
                    name="Everyone in the organization",
                    members=frozenset(members),
                )
            ]
        )
        prefix = protocol.group_key(PROVIDER, "")
        for key in named:
            if key.startswith(prefix):
                yield protocol.GroupPage(groups=[await self._group(key, key.removeprefix(prefix))])
        yield protocol.GroupPage(is_complete=True)

    async def _group(self, key: str, group_id: str) -> protocol.Group:
        members: set[str] = set()
        is_complete = True
        try:
            path = f"groups/{segment(group_id)}/transitiveMembers"
            async for member in self.values(path, {"$select": "id,displayName,mail", "$top": str(_MEMBERS)}):
                kind = member.get("@odata.type", "")
                if kind == "#microsoft.graph.user":
                    members.add(protocol.user_key(PROVIDER, member["id"]))
                elif not kind:
                    is_complete = False
        except RequestRefusedError as error:
            if error.status == 404:
                return protocol.Group(key=key)
            is_complete = False
        return protocol.Group(key=key, members=frozenset(members), is_complete=is_complete)


def _person(user: Json) -> protocol.Person:
    # An address within the organization. A guest's `mail` is an address elsewhere, and owners can change both.
    email = user.get("mail") or user.get("userPrincipalName") or ""
    return protocol.Person(
        key=protocol.user_key(PROVIDER, user["id"]), email=email.casefold(), name=user.get("displayName") or ""
    )


class GraphSource(protocol.SourceConnector[protocol.Settings]):
    """A source that is read through Microsoft Graph."""

    def __init__(self, context: protocol.SourceContext[protocol.Settings]) -> None:
        """Must be created in a running event loop.

        Args:
            context: The connector's settings and credentials.
        """
        super().__init__(context)
        self._graph = Graph(context)

    @override
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._graph.__aexit__(kind, error, trace)

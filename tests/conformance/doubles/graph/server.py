"""The HTTP interface of Microsoft Graph over a `Tenant`, and the token endpoint.

Each request and each answer is checked against the official description. A request that it does not know is answered
with 500 and kept in `violations`, which a test reads at its end.
"""

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from aiohttp import web

from tests.conformance.doubles.graph.answers import RefusedError, selected
from tests.conformance.doubles.graph.description import UndescribedError, check_answer, check_request, check_select
from tests.conformance.doubles.graph.teams import Teams
from tests.conformance.doubles.graph.tenant import TENANT_ID, Drive, Json, Tenant

CLIENT_ID: Final = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
CLIENT_SECRET: Final = "a secret of the double"
_ID: Final = r"([^/]+)"


class GraphServer:
    """Serves a tenant. Use `app` with a test server, then `origin`."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.origin = ""
        self.violations: list[str] = []
        self.requests: list[str] = []
        """Methods and paths that were asked for, with ids."""
        self.downloads = 0
        self._numbers = itertools.count(1)
        self._lists: dict[str, tuple[list[Json], str]] = {}
        self._issued: list[str] = []
        self._expired: set[str] = set()
        self.app = web.Application()
        self.app.router.add_post("/{tenant}/oauth2/v2.0/token", self.issue_token)
        self.app.router.add_get("/download/{drive}/{item}", self._download)
        self.app.router.add_get("/v1.0/{path:.*}", self._serve)
        teams = Teams(tenant, self._page, self._user)
        self._routes: list[tuple[re.Pattern[str], str, str, Callable[..., Any]]] = [
            (re.compile(f"^{pattern.replace('{}', _ID)}$"), pattern, right, handler)
            for pattern, right, handler in (
                ("/organization", "User.Read.All", self._organization),
                ("/users", "User.Read.All", self._users),
                ("/users/{}/drives", "Files.Read.All", self._drives_of_user),
                ("/me/drives", "Files.Read.All", self._my_drives),
                ("/users/{}/chats", "Chat.Read.All", teams.chats_of_user),
                ("/groups/{}/transitiveMembers", "GroupMember.Read.All", self._members),
                ("/sites/{}:/{}", "Files.Read.All", self._site_by_address),
                ("/sites/{}/drives", "Files.Read.All", self._drives_of_site),
                ("/drives/{}/root", "Files.Read.All", self._root),
                ("/drives/{}/root/delta", "Files.Read.All", self._delta),
                ("/drives/{}/items/{}", "Files.Read.All", self._item),
                ("/drives/{}/items/{}/permissions", "Sites.FullControl.All", self._permissions),
                ("/drives/{}/items/{}/content", "Files.Read.All", self._content),
                ("/teams/{}", "Team.ReadBasic.All", teams.team),
                ("/teams/{}/channels", "Channel.ReadBasic.All", teams.channels),
                ("/teams/{}/channels/{}", "Channel.ReadBasic.All", teams.channel),
                ("/teams/{}/channels/{}/allMembers", "ChannelMember.Read.All", teams.channel_members),
                ("/teams/{}/channels/{}/messages", "ChannelMessage.Read.All", teams.messages),
                ("/teams/{}/channels/{}/messages/delta", "ChannelMessage.Read.All", teams.message_delta),
                ("/teams/{}/channels/{}/messages/{}", "ChannelMessage.Read.All", teams.message),
                ("/teams/{}/channels/{}/messages/{}/replies", "ChannelMessage.Read.All", teams.replies),
                ("/chats/{}", "Chat.Read.All", teams.chat),
                ("/chats/{}/members", "Chat.Read.All", teams.chat_members),
                ("/chats/{}/messages", "Chat.Read.All", teams.chat_messages),
            )
        ]
        # The path of a site has several segments after its colon.
        self._routes = [
            (re.compile(r"^/sites/([^/:]+):/(.+)$"), pattern, right, handler)
            if pattern == "/sites/{}:/{}"
            else (compiled, pattern, right, handler)
            for compiled, pattern, right, handler in self._routes
        ]

    def expire_tokens(self) -> None:
        """Ends the lives of all access tokens."""
        self._expired.update(self._issued)

    async def issue_token(self, request: web.Request) -> web.Response:
        """Issues an access token to the application, or to the person who has signed in."""
        form = await request.post()
        expected = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        is_known = all(form.get(name) == value for name, value in expected.items())
        if form.get("grant_type") == "refresh_token":
            is_known = form.get("refresh_token") == "the refresh token"
        if self.tenant.faults.is_revoked or not is_known:
            body = {"error": "invalid_client", "error_description": "AADSTS7000215: Invalid client secret provided."}
            return web.json_response(body, status=401)
        self._issued.append(f"token-{next(self._numbers)}")
        return web.json_response({"access_token": self._issued[-1], "expires_in": 3599})

    async def _download(self, request: web.Request) -> web.Response:
        if "Authorization" in request.headers:
            self.violations.append("an access token was sent to an address to download from")
        drive = self.tenant.drives[request.match_info["drive"]]
        self.downloads += 1
        return web.Response(body=drive.items[request.match_info["item"]].content, content_type="text/plain")

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.path)
        try:
            return await self._answer(request)
        except RefusedError as error:
            body = {"error": {"code": error.code, "message": error.message}}
            return web.json_response(body, status=error.status)
        except UndescribedError as error:
            self.violations.append(str(error))
            return web.json_response({"error": {"code": "undescribed", "message": str(error)}}, status=400)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        faults = self.tenant.faults
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not token.startswith("token-") or token in self._expired:
            raise RefusedError(401, "InvalidAuthenticationToken")
        if faults.refusals:
            status, code, headers = faults.refusals.pop(0)
            return web.json_response({"error": {"code": code, "message": "x"}}, status=status, headers=headers)
        path = "/" + request.raw_path.partition("?")[0].removeprefix("/v1.0/")
        query = dict(parse_qsl(urlsplit(request.raw_path).query, keep_blank_values=True))
        for compiled, pattern, right, handler in self._routes:
            if match := compiled.match(path):
                check_request(pattern, query)
                if right not in self.tenant.granted:
                    raise RefusedError(403, "Authorization_RequestDenied", "Insufficient privileges")
                found = handler(request, query, *map(unquote, match.groups()))
                return found if isinstance(found, web.StreamResponse) else web.json_response(found)
        raise UndescribedError(f"the double has no path {path}")

    def _page(
        self, request: web.Request, query: dict[str, str], type_: str, values: Iterable[Json], delta: str = ""
    ) -> Json:
        """Returns a page of a list; later pages are of the list as it was at the first one.

        Args:
            request: What was asked for.
            query: Its options.
            type_: What is listed.
            values: All of it; not read for later pages.
            delta: The query of the link that the last page of a change list has.
        """
        select = query.get("$select", "")
        if select:
            check_select(type_, select)
        at = 0
        if token := query.get("$skiptoken"):
            key, _, position = token.partition("@")
            at = int(position)
        else:
            key = str(next(self._numbers))
            self._lists[key] = [selected(value, select) for value in values], delta
        found, delta = self._lists[key]
        faults = self.tenant.faults
        size = min(self.tenant.page_size, int(query.get("$top", "200")))
        if faults.empty_pages and not at:
            faults.empty_pages -= 1
            size = 0
        page = found[at : at + size]
        for value in page:
            check_answer(type_, value)
        if faults.is_repeating:
            page = [*page, *page]
        answer: Json = {"value": page}
        address = f"{faults.other_origin or self.origin}{request.rel_url.raw_path}"
        if at + size < len(found):
            following = at if faults.is_circular else at + size
            answer["@odata.nextLink"] = f"{address}?$skiptoken={quote(f'{key}@{following}')}"
        elif delta:
            answer["@odata.deltaLink"] = f"{address}?{delta}"
        if delta and (action := faults.after_page) is not None:
            faults.after_page = None
            action()
        return answer

    # The directory.

    def _organization(self, request: web.Request, query: dict[str, str]) -> Json:
        return self._page(request, query, "organization", [{"id": TENANT_ID}])

    def _users(self, request: web.Request, query: dict[str, str]) -> Json:
        return self._page(request, query, "user", [user.answer() for user in self.tenant.users.values()])

    def _members(self, request: web.Request, query: dict[str, str], group: str) -> Json:
        if group not in self.tenant.groups:
            raise RefusedError(404, "Request_ResourceNotFound")
        people = sorted(self.tenant.members_of(group))
        nested = [member for member in self.tenant.groups[group] if member in self.tenant.groups]
        values = [{"@odata.type": "#microsoft.graph.user", **self.tenant.users[user].answer()} for user in people]
        values += [{"@odata.type": "#microsoft.graph.group", "id": member} for member in nested]
        return self._page(request, query, "user", values)

    def _user(self, name: str) -> str:
        for user in self.tenant.users.values():
            if name in (user.id, user.email):
                return user.id
        raise RefusedError(404, "Request_ResourceNotFound", "There is no such person")

    # Drives.

    def _drives_of_user(self, request: web.Request, query: dict[str, str], name: str) -> Json:
        user = self._user(name)
        drives = [drive for drive in self.tenant.drives.values() if drive.owner and drive.owner.id == user]
        return self._page(request, query, "drive", map(_drive, drives))

    def _my_drives(self, request: web.Request, query: dict[str, str]) -> Json:
        """Returns the drives of the first person, who is the one who signs in."""
        return self._drives_of_user(request, query, next(iter(self.tenant.users.values())).id)

    def _site_by_address(self, request: web.Request, query: dict[str, str], host: str, path: str) -> Json:
        del request, host
        for site, (address, _) in self.tenant.sites.items():
            if address == path:
                return selected({"id": site, "displayName": path.rpartition("/")[2]}, query.get("$select", ""))
        raise RefusedError(404, "itemNotFound", "There is no such site")

    def _drives_of_site(self, request: web.Request, query: dict[str, str], site: str) -> Json:
        drives = [self.tenant.drives[drive] for drive in self.tenant.sites[site][1]]
        return self._page(request, query, "drive", map(_drive, drives))

    def _drive(self, drive_id: str) -> Drive:
        if drive_id not in self.tenant.drives:
            raise RefusedError(404, "itemNotFound")
        return self.tenant.drives[drive_id]

    def _root(self, request: web.Request, query: dict[str, str], drive_id: str) -> Json:
        del request
        drive = self._drive(drive_id)
        return selected(drive.answer(drive.root), query.get("$select", ""))

    def _delta(self, request: web.Request, query: dict[str, str], drive_id: str) -> Json:
        drive = self._drive(drive_id)
        names = [item.id for item in drive.items.values() if not item.is_deleted]
        if token := query.get("token"):
            if int(token) < drive.oldest:
                raise RefusedError(410, "resyncChangesApplyDifferences", "Resync required")
            names = list(dict.fromkeys(reversed(drive.log[int(token) :])))[::-1]
        values = [drive.answer(drive.items[name]) for name in names]
        return self._page(request, query, "driveItem", values, f"token={len(drive.log)}")

    def _item(self, request: web.Request, query: dict[str, str], drive_id: str, item_id: str) -> Json:
        del request
        drive = self._drive(drive_id)
        item = drive.items.get(item_id)
        if item is None or item.is_deleted:
            raise RefusedError(404, "itemNotFound")
        answer = selected(drive.answer(item), query.get("$select", ""))
        check_answer("driveItem", answer)
        return answer

    def _permissions(self, request: web.Request, query: dict[str, str], drive_id: str, item_id: str) -> Json:
        drive = self._drive(drive_id)
        if item_id in self.tenant.faults.unreadable:
            raise RefusedError(403, "accessDenied")
        return self._page(request, query, "permission", drive.permissions_of(drive.items[item_id]))

    def _content(self, request: web.Request, query: dict[str, str], drive_id: str, item_id: str) -> web.StreamResponse:
        del request, query
        drive = self._drive(drive_id)
        if item_id in self.tenant.faults.unreadable:
            raise RefusedError(403, "accessDenied")
        item = drive.items.get(item_id)
        if item is None or item.is_deleted:
            raise RefusedError(404, "itemNotFound")
        return web.Response(
            status=302, headers={"Location": f"{self.origin_of_downloads}/download/{quote(drive_id)}/{quote(item_id)}"}
        )

    @property
    def origin_of_downloads(self) -> str:
        """Another origin than that of the API, as in the service."""
        return self.origin.replace("127.0.0.1", "localhost")


def _drive(drive: Drive) -> Json:
    found: Json = {
        "id": drive.id,
        "name": drive.name,
        "driveType": drive.kind,
        "webUrl": f"https://contoso.example/{drive.id}",
    }
    if drive.owner is not None:
        found["owner"] = {"user": {"id": drive.owner.id, "displayName": drive.owner.email, "email": drive.owner.email}}
    return found

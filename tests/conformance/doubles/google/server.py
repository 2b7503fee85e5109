"""The HTTP interface of a `Tenant`: Drive, beside `Directory` and `Tokens`.

Each request must be one of Google's description with parameters that it knows, made with a token that has one of the
method's scopes; each answer is checked against the description's schema and holds what the mask of the request selects.
A request that is not described is refused and kept in `violations`, which a test compares with nothing at its end.

Error bodies are assumed, unless marked.
"""

import hashlib
import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from tests.conformance.doubles.google.description import (
    Json,
    UndescribedError,
    apply_mask,
    check_answer,
    find_method,
)
from tests.conformance.doubles.google.directory import Directory
from tests.conformance.doubles.google.errors import RefusedError
from tests.conformance.doubles.google.queries import parse_query
from tests.conformance.doubles.google.tenant import (
    SHORTCUT,
    Grant,
    Node,
    Tenant,
    permission_id,
)
from tests.conformance.doubles.google.tokens import Tokens
from tests.drivers.serving import serving

EXPORT_BYTES: Final = 10 * 1024 * 1024
SHARERS: Final = frozenset({"owner", "organizer", "fileOrganizer", "writer"})


class GoogleServer:
    """Serves a tenant."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.origin = ""
        self.violations: list[str] = []
        self.requests: list[str] = []
        """Ids of the methods that were called, as `drive.files.list`; `media` is added for downloads."""
        self.tokens = Tokens(tenant)
        self._numbers = itertools.count(1)
        self._lists: dict[str, list[Json]] = {}
        directory = Directory(tenant, self._page)
        self._handlers: dict[str, Callable[[str, dict[str, str]], Json]] = {
            "drive.files.list": self._list_files,
            "drive.files.get": self._get_file,
            "drive.permissions.list": self._list_permissions,
            "drive.drives.list": self._list_drives,
            "drive.drives.get": self._get_drive,
            "drive.changes.getStartPageToken": self._start_token,
            "drive.changes.list": self._list_changes,
            "directory.groups.get": directory.get_group,
            "directory.members.list": directory.list_members,
            "directory.users.list": directory.list_users,
        }
        self.app = web.Application()
        self.app.router.add_post("/token", self.tokens.issue)
        self.app.router.add_get("/{path:.*}", self._serve)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Serves on loopback; yields the origin."""
        async with serving(self.app) as self.origin:
            yield self.origin

    def count(self, *methods: str) -> int:
        return sum(request in methods for request in self.requests)

    # Requests.

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except UndescribedError as error:
            self.violations.append(str(error))
            refusal = RefusedError(400, "badRequest", str(error))
        except RefusedError as error:
            refusal = error
        body = {
            "error": {
                "code": refusal.status,
                "message": refusal.message,
                "errors": [{"domain": "global", "reason": refusal.reason, "message": refusal.message}],
            }
        }
        return web.json_response(body, status=refusal.status, headers=refusal.headers)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        faults = self.tenant.faults
        person, scopes = self.tokens.holder(request)
        method, given = find_method(request.method, request.rel_url.raw_path, request.query)
        is_media = given.get("alt") == "media"
        self.requests.append("media" if is_media else method.id)
        if faults.refusals and faults.refusals[0][0] in request.path:
            _, status, reason, headers = faults.refusals.pop(0)
            raise RefusedError(status, reason, **headers)
        for part, status, reason in faults.always:
            if part in request.path:
                raise RefusedError(status, reason)
        if not scopes & method.scopes:
            raise RefusedError(403, "insufficientPermissions", "Request had insufficient authentication scopes.")
        if faults.broken_bodies:
            faults.broken_bodies -= 1
            return web.Response(text="<html>busy</html>")
        if given.get("fileId") in faults.unreadable and (is_media or method.id == "drive.files.export"):
            raise RefusedError(403, "unknownReason")
        if is_media:
            return await self._download(request, self._readable(person, given["fileId"], given, request))
        if method.id == "drive.files.export":
            return self._export(self._readable(person, given["fileId"], given, request))
        if method.id == "drive.files.get":
            self._readable(person, given["fileId"], given, request)
        answer = self._handlers[method.id](person, given)
        check_answer(method, answer)
        return web.json_response(apply_mask(method, answer, given.get("fields", "")))

    def _page(self, name: str, values: Iterable[Json], given: Mapping[str, str], size: str, limit: int) -> Json:
        """Returns a page of a list, which is that of the first page also for the following ones (assumed)."""
        faults = self.tenant.faults
        if token := given.get("pageToken", ""):
            key, _, position = token.partition("@")
            if key not in self._lists:
                raise RefusedError(400, "invalid", "Invalid Value: pageToken")
            at = int(position)
        else:
            key, at = f"list-{next(self._numbers)}", 0
            self._lists[key] = list(values)
        count = min(self.tenant.page_size, int(given.get(size, limit)))
        if faults.empty_pages:
            faults.empty_pages -= 1
            count = 0
        page = self._lists[key][at : at + count]
        answer: Json = {name: page}
        if at + count < len(self._lists[key]):
            answer["nextPageToken"] = f"{key}@{at if faults.is_circular else at + count}"
        return answer

    def forget_pages(self) -> None:
        """Ends the lives of all page tokens of lists."""
        self._lists.clear()

    def expire_tokens(self) -> None:
        """Ends the lives of all access tokens."""
        self.tokens.expire()

    # Drive.

    def _readable(self, person: str, file_id: str, given: Mapping[str, str], request: web.Request) -> Node:
        """Returns a file that somebody may open.

        Without `supportsAllDrives` what lies in a shared drive is not found (documented), nor is a file that needs the
        key of its resource without it.
        """
        tenant = self.tenant
        file_id = tenant.root_of(person) if file_id == "root" else file_id
        node = tenant.nodes.get(file_id)
        is_export = request.path.endswith("/export")  # which has no such parameter
        if (
            node is None
            or not tenant.is_visible(file_id, person)
            or (node.drive and given.get("supportsAllDrives") != "true" and not is_export)
        ):
            raise RefusedError(404, "notFound", f"File not found: {file_id}.")
        keys = {each.target_key for each in tenant.nodes.values() if each.target == file_id and each.target_key}
        if keys and person not in tenant.readers(file_id):
            header = request.headers.get("X-Goog-Drive-Resource-Keys", "")
            if header not in {f"{file_id}/{key}" for key in keys}:
                raise RefusedError(404, "notFound", f"File not found: {file_id}.")
        return node

    def _get_file(self, person: str, given: dict[str, str]) -> Json:
        file_id = self.tenant.root_of(person) if given["fileId"] == "root" else given["fileId"]
        return self._file(person, self.tenant.nodes[file_id])

    def _file(self, person: str, node: Node) -> Json:
        tenant = self.tenant
        google = node.mime_type.startswith("application/vnd.google-apps.")
        answer: Json = {
            "kind": "drive#file",
            "id": node.id,
            "name": node.name,
            "mimeType": node.mime_type,
            "trashed": tenant.is_in_trash(node.id),
            "explicitlyTrashed": node.is_trashed,
            "webViewLink": f"https://drive.google.com/file/d/{node.id}/view",
            "modifiedTime": _time(node.modified),
            "version": str(node.version),
            "capabilities": {"canDownload": node.can_download},
        }
        if node.parent and (node.parent in tenant.drives or tenant.is_visible(node.parent, person)):
            answer["parents"] = [node.parent]  # only a folder that the person sees (documented)
        if node.drive:
            answer |= {"driveId": node.drive, "hasAugmentedPermissions": bool(node.grants)}
        else:
            answer["ownedByMe"] = node.owner == person
        if node.is_limited:
            answer["inheritedPermissionsDisabled"] = True
        if not google:
            answer |= {"size": str(len(node.content)), "sha256Checksum": _hash(node.content)}
        if node.mime_type == SHORTCUT:
            target = tenant.nodes.get(node.target)
            answer["shortcutDetails"] = {
                "targetId": node.target,
                "targetMimeType": target.mime_type if target else "text/plain",
                **({"targetResourceKey": node.target_key} if node.target_key else {}),
            }
        if not node.drive and self._may_share(person, node.id):  # documented: never for items of shared drives
            answer["permissions"] = self._permissions(node.id)
        return answer

    def _may_share(self, person: str, node_id: str) -> bool:
        return node_id not in self.tenant.faults.unshown and any(
            grant.role in SHARERS and (grant.to == person or person in self.tenant.members_of(grant.to))
            for grant, _ in self.tenant.grants_of(node_id)
        )

    def _permissions(self, node_id: str) -> list[Json]:
        return [_permission(grant, inherited=inherited) for grant, inherited in self.tenant.grants_of(node_id)]

    def _list_files(self, person: str, given: dict[str, str]) -> Json:
        tenant = self.tenant
        drive = given.get("driveId", "")
        has_all = given.get("includeItemsFromAllDrives") == "true"
        if drive:
            if given.get("corpora") != "drive" or not has_all or given.get("supportsAllDrives") != "true":
                raise UndescribedError("driveId needs corpora=drive, includeItemsFromAllDrives and supportsAllDrives")
            if not tenant.is_member(drive, person):
                raise RefusedError(404, "notFound", f"Shared drive not found: {drive}")
        test = parse_query(given.get("q", ""), person, tenant.is_in_trash)
        found = (
            self._file(person, node)
            for node in tenant.nodes.values()
            if node.parent
            and (node.drive == drive if drive else has_all or not node.drive)
            and person in tenant.readers(node.id)
            and test(node)
        )
        page = self._page("files", found, given, "pageSize", 100)
        action, tenant.faults.after_page = tenant.faults.after_page, None
        if action is not None:
            action()
        return page

    def _list_permissions(self, person: str, given: dict[str, str]) -> Json:
        node_id, tenant = given["fileId"], self.tenant
        node_id = tenant.root_of(person) if node_id == "root" else node_id
        is_drive = node_id in tenant.drives
        if not (tenant.is_member(node_id, person) if is_drive else tenant.is_visible(node_id, person)):
            raise RefusedError(404, "notFound", f"File not found: {node_id}.")
        if (is_drive or tenant.nodes[node_id].drive) and given.get("supportsAllDrives") != "true":
            raise RefusedError(404, "notFound", f"File not found: {node_id}.")
        if not self._may_share(person, node_id):  # reported: EC#2024
            raise RefusedError(403, "insufficientFilePermissions", "The user does not have sufficient permissions.")
        return self._page("permissions", self._permissions(node_id), given, "pageSize", 100)

    def _list_drives(self, person: str, given: dict[str, str]) -> Json:
        found = (
            {"id": drive, "name": name}
            for drive, name in self.tenant.drives.items()
            if self.tenant.is_member(drive, person)
        )
        return self._page("drives", found, given, "pageSize", 10)

    def _get_drive(self, person: str, given: dict[str, str]) -> Json:
        drive = given["driveId"]
        if not self.tenant.is_member(drive, person):
            raise RefusedError(404, "notFound", f"Shared drive not found: {drive}")
        return {"id": drive, "name": self.tenant.drives[drive]}

    def _start_token(self, person: str, given: dict[str, str]) -> Json:
        drive = given.get("driveId", "")
        if drive and not self.tenant.is_member(drive, person):
            raise RefusedError(404, "notFound", f"Shared drive not found: {drive}")
        return {"startPageToken": f"{drive}:{len(self.tenant.log)}"}

    def _list_changes(self, person: str, given: dict[str, str]) -> Json:
        """Returns the present state of what has changed, of the account or of a shared drive.

        What the account cannot see any more is `removed`, whether it was deleted or not (documented).
        """
        tenant, faults = self.tenant, self.tenant.faults
        drive = given.get("driveId", "")
        token_drive, _, position = given["pageToken"].partition(":")
        if token_drive != drive or int(position) < faults.changes_forgotten_before:
            raise RefusedError(400, "invalid", "Invalid Value: pageToken")
        if drive and not tenant.is_member(drive, person):
            raise RefusedError(404, "notFound", f"Shared drive not found: {drive}")
        at, changes = int(position), []
        size = min(tenant.page_size, int(given.get("pageSize", 100)))
        if faults.empty_pages:
            faults.empty_pages -= 1
            size = 0
        for file_id, in_drive in tenant.log[at : at + size]:
            if (in_drive == drive) if drive else (not in_drive or given.get("includeItemsFromAllDrives") == "true"):
                change: Json = {"changeType": "file", "fileId": file_id, "removed": True}
                if file_id in tenant.nodes and person in tenant.readers(file_id):
                    change |= {"removed": False, "file": self._file(person, tenant.nodes[file_id])}
                changes.append(change)
        answer: Json = {"changes": changes}
        following = at if faults.is_circular else at + size
        if at + size < len(tenant.log):
            answer["nextPageToken"] = f"{drive}:{following}"
        else:
            answer["newStartPageToken"] = f"{drive}:{len(tenant.log)}"
        return answer

    async def _download(self, request: web.Request, node: Node) -> web.StreamResponse:
        if node.mime_type.startswith("application/vnd.google-apps."):
            raise RefusedError(403, "fileNotDownloadable", "Only files with binary content can be downloaded.")
        if not node.can_download:
            raise RefusedError(403, "cannotDownloadFile")
        start = int(request.headers.get("Range", "bytes=0-")[6:-1])
        part = node.content[start:]
        headers = {"Content-Length": str(len(part)), "Content-Type": node.mime_type}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(node.content) - 1}/{len(node.content)}"
        response = web.StreamResponse(status=206 if start else 200, headers=headers)
        await response.prepare(request)
        faults = self.tenant.faults
        if faults.broken_downloads:
            faults.broken_downloads -= 1
            await response.write(part[: len(part) // 2])
            if request.transport is not None:
                request.transport.close()
            return response
        await response.write(part)
        return response

    def _export(self, node: Node) -> web.Response:
        if not node.can_download:
            raise RefusedError(403, "cannotExportFile")
        if len(node.content) > EXPORT_BYTES:  # documented, with this reason
            raise RefusedError(403, "exportSizeLimitExceeded", "This file is too large to be exported.")
        return web.Response(body=node.content, content_type="application/octet-stream")


def _permission(grant: Grant, *, inherited: bool) -> Json:
    answer: Json = {
        "id": permission_id(grant.to or grant.type),
        "type": grant.type,
        "role": grant.role,
        "permissionDetails": [{"inherited": inherited, "role": grant.role, "permissionType": "file"}],
    }
    if grant.type in ("user", "group"):
        answer |= {"emailAddress": grant.to, "displayName": grant.to, "deleted": grant.deleted}
    elif grant.type == "domain":
        answer |= {"domain": grant.to, "displayName": grant.to}
    if grant.type in ("domain", "anyone"):
        answer["allowFileDiscovery"] = grant.discoverable
    if grant.view:
        answer["view"] = grant.view
    if grant.ends:
        answer["expirationTime"] = grant.ends
    return answer


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

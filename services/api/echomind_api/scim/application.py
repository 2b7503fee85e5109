"""The SCIM service: the protocol's package over our storage."""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, cast

from scim2_models import PreconditionFailedException, Resource, ResourceType, SCIMException
from scim2_server.conditions import Conditions
from scim2_server.handler import ScimHandler
from scim2_server.requests import ScimRequest
from scim2_server.responses import ScimResponse
from scim2_server.routing import Operation
from scim2_server.service import ScimService
from typing_extensions import override

from echomind_api.accounts.deactivation import Deactivations
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.calls.revocations import Revocations
from echomind_api.scim.clients import Client
from echomind_api.scim.groups import GroupsOfClients
from echomind_api.scim.members import take_changes, take_members
from echomind_api.scim.people import People
from echomind_api.scim.schemas import Group, User, provider
from echomind_api.scim.storage import Directory, Storage
from echomind_lib.db.database import Database
from echomind_lib.errors import EchoMindError, PermissionDeniedError
from echomind_lib.errors.body import STATUS

_THREADS: Final = 2
"""Requests at the same time; others wait."""
_ATTEMPTS: Final = 5
"""How often a request without `If-Match` is repeated when another one has changed its resource meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, whose sender is known."""

    client: Client
    method: str
    base_url: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Application:
    """Answers requests in threads of its own."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._service = ScimService(provider())
        self._threads = ThreadPoolExecutor(_THREADS, "scim")

    async def answer(self, asked: Asked) -> Answer:
        """Answers a request; every error is one of SCIM.

        Raises:
            Exception: Of the database, which the caller reports.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._answer, asked, loop)

    def _answer(self, asked: Asked, loop: asyncio.AbstractEventLoop) -> Answer:
        request = ScimRequest(
            asked.method, asked.base_url, asked.path, asked.query, asked.headers, asked.body, asked.client
        )
        handler = _Handler(self._service, Storage(self._directory, asked.client, loop))
        try:
            response = _repeated(handler, request)
        except SCIMException as error:
            response = self._service.error_response(error)
        except EchoMindError as error:
            # Denials are of the resource and not of the token, which is valid.
            status = 403 if isinstance(error, PermissionDeniedError) else STATUS[error.code]
            response = self._service.error_response(_Refused(status, str(error)))
        response.headers.setdefault("Cache-Control", "no-store")
        body = b"" if response.body is None else json.dumps(response.body).encode()
        return Answer(status=int(response.status), headers=response.headers, body=body)


class _Refused(SCIMException):
    """An error of EchoMind."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail=detail)
        self.status = status


def _repeated(handler: ScimHandler, request: ScimRequest) -> ScimResponse:
    for _ in range(_ATTEMPTS - 1):
        try:
            return handler.handle(request)
        except PreconditionFailedException:
            if request.header("If-Match") is not None or request.header("If-None-Match") is not None:
                raise
    return handler.handle(request)


class _Handler(ScimHandler):
    """The package's handler, with the members of groups changed by row."""

    storage: Storage

    @override
    def create(self, request: ScimRequest) -> ScimResponse:
        if not self._is_of_groups(request):
            return super().create(request)
        with self.service.provider:
            body, changes = take_members(self._read(request))
            group = self.service.read_creation(self._groups, json.dumps(body).encode(), None)
            created = self.storage.create_group(cast("Group", group), changes)
            return self.service.creation_response(request.base_url, created)

    @override
    def replace(self, request: ScimRequest) -> ScimResponse:
        if not self._is_of_groups(request):
            return super().replace(request)
        with self.service.provider:
            resource_id = self.service.route(request, Operation.replace).resource_id or ""
            parameters = self.service.read_response_parameters(self._groups, request.query)
            current = self.storage.group(resource_id, with_members=False)
            version = _version(current)
            body, changes = take_members(self._read(request))
            replacement = self.service.read_replacement(self._groups, json.dumps(body).encode(), None)
            replaced = self.service.apply_replacement(current, replacement, self.service.read_conditions(request))
            self.storage.update_group(cast("Group", replaced or current), changes, version)
            group = self.storage.get(self._groups, resource_id, response_parameters=parameters)
            return self.service.replacement_response(request.base_url, group, parameters)

    @override
    def patch(self, request: ScimRequest) -> ScimResponse:
        if not self._is_of_groups(request):
            return super().patch(request)
        with self.service.provider:
            resource_id = self.service.route(request, Operation.patch).resource_id or ""
            parameters = self.service.read_response_parameters(self._groups, request.query)
            body, changes = take_changes(self._read(request))
            current = self.storage.group(resource_id, with_members=False)
            version = _version(current)
            conditions = self.service.read_conditions(request)
            patched = self._patched(current, body, conditions)
            if patched is not None or changes:
                self.storage.update_group(cast("Group", patched or current), changes, version)
            if parameters.attributes or parameters.excluded_attributes:
                current = cast("Group", self.storage.get(self._groups, resource_id, response_parameters=parameters))
            else:
                current = self.storage.group(resource_id, with_members=False)
            return self.service.patch_response(request.base_url, current, parameters)

    @override
    def replace_resource(
        self, resource_type: ResourceType, current: Resource[Any], replacement: Resource[Any], conditions: Conditions
    ) -> Resource[Any]:
        # What a replacement leaves out may stay (RFC 7644, 3.5.1), and nobody has said that the person is back.
        if isinstance(current, User) and isinstance(replacement, User) and replacement.active is None:
            replacement.active = current.active
        return super().replace_resource(resource_type, current, replacement, conditions)

    def _patched(self, current: Group, body: Any, conditions: Conditions) -> Resource[Any] | None:
        """Returns a group after the operations on others than its members; None if they change nothing."""
        if not body["Operations"]:
            self.service.check_preconditions(current, "PATCH", conditions)
            return None
        patch = self.service.read_patch(self._groups, json.dumps(body).encode(), None)
        return self.service.apply_patch(current, patch, conditions)

    def _is_of_groups(self, request: ScimRequest) -> bool:
        target = self.service.match(request)
        return target.endpoint is not None and target.endpoint.lower() == "groups"

    def _read(self, request: ScimRequest) -> Any:
        return self.service.decode_body(request.body, request.header("Content-Type"))

    @property
    def _groups(self) -> ResourceType:
        return self.service.get_resource_type("Group")


def _version(group: Group) -> str | None:
    return group.meta.version if group.meta is not None else None


def build(
    database: Database, deactivations: Deactivations, revocations: Revocations, providers: IdentityProviders
) -> Application:
    """Returns the service."""
    people = People(database=database, deactivations=deactivations, revocations=revocations, providers=providers)
    return Application(Directory(people, GroupsOfClients(database=database)))

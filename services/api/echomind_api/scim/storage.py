"""The storage that the protocol's package reads and writes, for one client."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from scim2_models import Resource, ResourceType, ResponseParameters, SearchRequest
from scim2_server.storage import ScimStorage, SearchPage
from sqlalchemy import true
from typing_extensions import override

from echomind_api.scim.clients import Client
from echomind_api.scim.filters import condition
from echomind_api.scim.groups import GroupsOfClients
from echomind_api.scim.members import MemberChanges, take_members
from echomind_api.scim.people import People
from echomind_api.scim.schemas import Group, User
from echomind_lib.db.models.scim import ScimGroup, ScimUser

T = TypeVar("T")

_USER: Final = "User"
_MEMBERS: Final = "members"
_LIMIT: Final = 2**31
"""A number that no resource has in a list."""


@dataclass(frozen=True, slots=True)
class Directory:
    """Users and groups of all clients."""

    people: People
    groups: GroupsOfClients


class Storage(ScimStorage):
    """Users and groups of one client. It is used in a thread, and reads and writes in the event loop."""

    def __init__(self, directory: Directory, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._people = directory.people
        self._groups = directory.groups
        self._client = client
        self._loop = loop

    @override
    def get(
        self,
        resource_type: ResourceType,
        resource_id: str,
        *,
        response_parameters: ResponseParameters[Any] | None = None,
    ) -> Resource[Any]:
        if resource_type.name == _USER:
            return self._wait(self._people.get(self._client, resource_id))
        with_members = response_parameters is None or _keeps_members(response_parameters)
        return self._wait(self._groups.get(self._client, resource_id, with_members=with_members))

    @override
    def search(
        self, resource_types: list[ResourceType], search_request: SearchRequest[Any], *, position: Any = None
    ) -> SearchPage:
        start, count = min(search_request.start_index or 1, _LIMIT), search_request.count
        total, found = 0, list[Resource[Any]]()
        for resource_type in resource_types:
            table: Any = ScimUser if resource_type.name == _USER else ScimGroup
            node = search_request.filter.ast if search_request.filter is not None else None
            where = true() if node is None else condition(node, table)
            # Of several types, a page begins in one and ends in another.
            first = max(start - total, 1)
            left = None if count is None else max(count - len(found), 0)
            number, page = self._wait(self._page(resource_type, search_request, where, first, left))
            total += number
            found += page
        return SearchPage(total=total, resources=found)

    async def _page(
        self, resource_type: ResourceType, request: SearchRequest[Any], where: Any, start: int, count: int | None
    ) -> tuple[int, list[Any]]:
        if resource_type.name == _USER:
            return await self._people.search(self._client, where, start, count)
        return await self._groups.search(self._client, where, start, count, with_members=_keeps_members(request))

    @override
    def create(self, resource_type: ResourceType, resource: Resource[Any]) -> Resource[Any]:
        if resource_type.name == _USER:
            return self._wait(self._people.create(self._client, cast("User", resource)))
        return self.create_group(cast("Group", resource), _members_of(cast("Group", resource)))

    @override
    def update(
        self, resource_type: ResourceType, resource: Resource[Any], *, expected_version: str | None = None
    ) -> Resource[Any]:
        if resource_type.name == _USER:
            return self._wait(self._people.update(self._client, cast("User", resource), expected_version))
        group = cast("Group", resource)
        self.update_group(group, _members_of(group), expected_version)
        return self.group(group.id or "")

    @override
    def delete(self, resource_type: ResourceType, resource_id: str, *, expected_version: str | None = None) -> None:
        owner = self._people if resource_type.name == _USER else self._groups
        self._wait(owner.delete(self._client, resource_id, expected_version))

    def group(self, group_id: str, *, with_members: bool = True) -> Group:
        """Returns a group."""
        return self._wait(self._groups.get(self._client, group_id, with_members=with_members))

    def create_group(self, group: Group, changes: MemberChanges) -> Group:
        """Creates a group with members; see `GroupsOfClients.create`."""
        return self.group(self._wait(self._groups.create(self._client, group, changes)))

    def update_group(self, group: Group, changes: MemberChanges, expected_version: str | None) -> None:
        """Changes a group and its members; see `GroupsOfClients.update`."""
        self._wait(self._groups.update(self._client, group, changes, expected_version))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _members_of(group: Group) -> MemberChanges:
    given = [{"value": member.value} for member in group.members or ()]
    return take_members({_MEMBERS: given})[1]


def _keeps_members(parameters: ResponseParameters[Any] | SearchRequest[Any]) -> bool:
    """Returns whether an answer has the members of a group."""
    excluded = {str(name).lower() for name in parameters.excluded_attributes or ()}
    requested = {str(name).lower() for name in parameters.attributes or ()}
    names = {_MEMBERS, f"{Group.__schema__}:{_MEMBERS}".lower()}
    if requested:
        return any(name in names or name.startswith(tuple(f"{path}." for path in names)) for name in requested)
    return not excluded & names

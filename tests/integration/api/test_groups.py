"""Groups: administration, and effects for their members."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest

from echomind_lib.errors import AlreadyExistsError, NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows


async def groups_of(somebody: Client) -> list[str]:
    found: list[str] = (await somebody.call("UserService/GetCurrentUser")).get("groups", [])
    return found


async def test_a_group_with_its_members_from_beginning_to_end(owner: Client, new_user: NewUser, via: Transport) -> None:
    name, ann, bob = f"group-{uuid4().hex}", await new_user(groups=("zebra",)), await new_user()
    group = {"name": name, "description": "Who sells"}
    made = await owner.call("GroupService/CreateGroup", {"group": group}, via)
    assert made.get("memberCount", 0) == 0
    with pytest.raises(AlreadyExistsError):
        await owner.call("GroupService/CreateGroup", {"group": group}, via)
    both = {"id": made["id"], "userIds": [ann.user_id, bob.user_id]}
    for _ in range(2):  # adding a member again has no effect
        assert (await owner.call("GroupService/AddGroupMembers", both, via))["memberCount"] == 2
    assert await groups_of(ann) == ["zebra", name]
    listed = await owner.call("UserService/ListUsers", {"group": name}, via)
    assert [user["id"] for user in listed["users"]] == [ann.user_id, bob.user_id]
    change = {"id": made["id"], "group": {"description": "", "displayName": "Sales team"}}
    changed = await owner.call("GroupService/UpdateGroup", change | {"updateMask": "description,displayName"}, via)
    assert (changed.get("description", ""), changed["displayName"], changed["name"]) == ("", "Sales team", name)
    removal = {"id": made["id"], "userIds": [ann.user_id]}
    assert (await owner.call("GroupService/RemoveGroupMembers", removal, via))["memberCount"] == 1
    assert await groups_of(ann) == ["zebra"]
    await owner.call("GroupService/DeleteGroup", {"id": made["id"]}, via)
    assert await groups_of(bob) == []
    with pytest.raises(NotFoundError):
        await owner.call("GroupService/GetGroup", {"id": made["id"]}, via)


async def test_groups_are_found_by_a_part_of_their_name(owner: Client, via: Transport) -> None:
    mark = uuid4().hex
    for name in (f"b {mark}%", f"a {mark}_", f"c {mark}"):
        await owner.call("GroupService/CreateGroup", {"group": {"name": name}})
    names: list[str] = []
    token = ""
    while True:
        request = {"query": mark.upper(), "pageSize": 2, "pageToken": token}
        page = await owner.call("GroupService/ListGroups", request, via)
        names += [group["name"] for group in page["groups"]]
        if not (token := page.get("nextPageToken", "")):
            break
    assert names == [f"a {mark}_", f"b {mark}%", f"c {mark}"]
    found = await owner.call("GroupService/ListGroups", {"query": f"{mark}%"}, via)
    assert [group["name"] for group in found["groups"]] == [f"b {mark}%"]


async def test_a_name_never_changes(owner: Client, via: Transport) -> None:
    made = await owner.call("GroupService/CreateGroup", {"group": {"name": uuid4().hex}})
    request = {"id": made["id"], "group": {"name": "other"}, "updateMask": "name"}
    with pytest.raises(ValidationFailedError, match=r"group\.name: cannot be changed"):
        await owner.call("GroupService/UpdateGroup", request, via)


async def test_a_group_that_something_is_shared_with_stays(owner: Client, new_user: NewUser, via: Transport) -> None:
    name = uuid4().hex
    admin = await new_user("admin", groups=(name,))
    connector = {"name": name, "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_GROUP", "scopeId": name}
    made = await admin.call("ConnectorService/CreateConnector", {"connector": connector})
    (group,) = (await owner.call("GroupService/ListGroups", {"query": name}, via))["groups"]
    assert (group["memberCount"], group["connectorCount"]) == (1, 1)
    with pytest.raises(ValidationFailedError, match="1 connectors, 0 assistants and 0 datasets are shared"):
        await owner.call("GroupService/DeleteGroup", {"id": group["id"]}, via)
    await owner.call("ConnectorService/DeleteConnector", {"id": made["id"]})
    shared = {"name": name, "isShared": True, "groups": [name]}
    dataset = await admin.call("EvaluationDatasetService/CreateEvaluationDataset", {"dataset": shared})
    quota = {"scope": "QUOTA_SCOPE_GROUP", "groupId": group["id"], "period": "QUOTA_PERIOD_DAY", "maxTokens": 5}
    limit = await owner.call("QuotaService/CreateQuota", {"quota": quota})
    with pytest.raises(ValidationFailedError, match="1 datasets are shared with the group, and it has 1 quotas"):
        await owner.call("GroupService/DeleteGroup", {"id": group["id"]}, via)
    await admin.call("EvaluationDatasetService/DeleteEvaluationDataset", {"id": dataset["id"]})
    await owner.call("QuotaService/DeleteQuota", {"id": limit["id"]})
    await owner.call("GroupService/DeleteGroup", {"id": group["id"]}, via)
    assert await groups_of(admin) == []


async def test_with_an_unknown_person_no_one_is_added(owner: Client, new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    made = await owner.call("GroupService/CreateGroup", {"group": {"name": uuid4().hex}})
    request = {"id": made["id"], "userIds": [somebody.user_id, 2**31 - 1]}
    with pytest.raises(NotFoundError):
        await owner.call("GroupService/AddGroupMembers", request, via)
    assert await groups_of(somebody) == []


async def test_an_expiring_key_cannot_add_people_to_groups(new_user: NewUser, via: Transport) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    expires_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    new = {"name": "expiring", "scopes": ["API_KEY_SCOPE_ADMINISTER"], "expiresAt": expires_at}
    expiring = boss.as_((await boss.call("ApiKeyService/CreateApiKey", new))["secret"])
    made = await expiring.call("GroupService/CreateGroup", {"group": {"name": uuid4().hex}}, via)
    request = {"id": made["id"], "userIds": [somebody.user_id]}
    with pytest.raises(PermissionDeniedError) as caught:
        await expiring.call("GroupService/AddGroupMembers", request, via)
    assert caught.value.metadata == {"required": "lasting_credential"}


async def test_an_admin_of_a_group_changes_its_members(owner: Client, new_user: NewUser, via: Transport) -> None:
    name, boss, ann, bob = uuid4().hex, await new_user(), await new_user(), await new_user()
    made = await owner.call("GroupService/CreateGroup", {"group": {"name": name}})
    group = {"id": made["id"]}
    user_name = (await ann.call("UserService/GetCurrentUser"))["userName"]
    await owner.call("GroupService/AddGroupMembers", group | {"userIds": [boss.user_id]})
    assert (await boss.call("GroupService/ListGroups", {}, via)).get("groups", []) == []

    admin = group | {"userId": boss.user_id}
    assert (await owner.call("GroupService/SetGroupAdmin", admin | {"isAdmin": True}, via))["isAdmin"]
    (listed,) = (await boss.call("GroupService/ListGroups", {}, via))["groups"]
    assert (listed["name"], listed["memberCount"], listed["adminCount"], listed["canManage"]) == (name, 1, 1, True)
    added = await boss.call("GroupService/AddGroupMembers", group | {"userNames": [user_name.upper()]}, via)
    assert added["memberCount"] == 2
    assert await groups_of(ann) == [name]
    found = (await boss.call("GroupService/ListGroupMembers", group, via))["members"]
    assert {(member["userId"], member.get("isAdmin", False), *member["sources"]) for member in found} == {
        (boss.user_id, True, "manual"),
        (ann.user_id, False, "manual"),
    }
    for strangers in ({"userIds": [bob.user_id]}, {"userNames": [uuid4().hex]}):
        with pytest.raises(NotFoundError):  # people are named by their exact names, and ids are those of members
            await boss.call("GroupService/AddGroupMembers", group | strangers, via)
    with pytest.raises(ValidationFailedError, match="name somebody"):
        await boss.call("GroupService/AddGroupMembers", group, via)
    with pytest.raises(PermissionDeniedError):
        await boss.call("GroupService/SetGroupAdmin", group | {"userId": ann.user_id, "isAdmin": True}, via)
    with pytest.raises(NotFoundError):  # members who are no admins
        await ann.call("GroupService/ListGroupMembers", group, via)
    assert await boss.call("GroupService/RemoveGroupMembers", group | {"userIds": [ann.user_id]}, via)
    assert await groups_of(ann) == []

    left = await boss.call("GroupService/RemoveGroupMembers", group | {"userIds": [boss.user_id]}, via)
    assert (left.get("memberCount", 0), left.get("adminCount", 0), left.get("canManage", False)) == (0, 0, False)
    with pytest.raises(NotFoundError):
        await boss.call("GroupService/GetGroup", group, via)
    with pytest.raises(NotFoundError):  # only members can be admins
        await owner.call("GroupService/SetGroupAdmin", admin | {"isAdmin": True}, via)


async def test_members_are_listed_by_pages_with_all_their_sources(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    name = uuid4().hex
    people = [await new_user(groups=(name,)) for _ in range(3)]
    (group,) = (await owner.call("GroupService/ListGroups", {"query": name}))["groups"]
    source = "provider:https://id.example.org"
    given = {"group_id": group["id"], "user_id": people[0].user_id, "source": source}
    await rows.insert(pool, "group_members", given)
    members: dict[int, list[str]] = {}
    token = ""
    while True:
        request = {"id": group["id"], "pageSize": 2, "pageToken": token}
        page = await owner.call("GroupService/ListGroupMembers", request, via)
        members |= {member["userId"]: member["sources"] for member in page["members"]}
        if not (token := page.get("nextPageToken", "")):
            break
    first, *others = (person.user_id for person in people)
    assert members == {first: ["manual", source]} | {key: ["manual"] for key in others}
    # By hand, what was given by hand is removed.
    removal = {"id": group["id"], "userIds": [first]}
    assert (await owner.call("GroupService/RemoveGroupMembers", removal, via))["memberCount"] == 3
    with pytest.raises(ValidationFailedError, match="remove the membership there"):
        await owner.call("GroupService/RemoveGroupMembers", removal, via)

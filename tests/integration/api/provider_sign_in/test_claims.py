"""What the claims of a provider give: groups and roles, which addresses are verified, and who stays outside."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.scim import scim_caller
from tests.drivers.sign_in_refusals import refused
from tests.drivers.visitor import Visitor
from tests.factories.world import name


async def test_an_address_chooses_no_account(visitor: Visitor, pool: asyncpg.Pool, new_user: NewUser) -> None:
    somebody = await (await new_user()).call("UserService/GetCurrentUser")
    for verified in (True, False, "true", None):
        visitor.provider.person |= {"email": somebody["email"].upper(), "email_verified": verified}
        await refused(visitor, pool, "already an account", 409)
    refusals = "SELECT count(*) FROM audit_log WHERE denied AND action = 'Sign-in/Provider' AND target = $1"
    assert await pool.fetchval(refusals, f"users/{somebody['id']}") == 4
    # Nor does a later change of the address.
    visitor.provider.person |= {"email": f"{name()}@example.org", "email_verified": True}
    first = await visitor.me(await visitor.sign_in())
    visitor.provider.person["email"] = somebody["email"]
    second = await visitor.me(await visitor.sign_in())
    assert (second["id"], second["email"]) == (first["id"], first["email"])


@pytest.mark.parametrize(
    ("changes", "verified", "expected"),
    [
        ({}, True, True),
        ({}, "true", False),
        ({}, "false", False),
        ({}, None, False),
        ({"email_trust": "domains", "email_domains": "example.org"}, False, True),
        ({"email_trust": "domains", "email_domains": "other.example"}, True, False),
        ({"email_trust": "never"}, True, False),
    ],
)
async def test_which_addresses_are_verified(
    visitor: Visitor, configure: Any, changes: dict[str, Any], verified: Any, expected: bool
) -> None:
    configure(**changes)
    visitor.provider.person["email_verified"] = verified
    assert (await visitor.me(await visitor.sign_in())).get("isEmailVerified", False) is expected


async def test_people_without_a_required_claim_stay_outside(
    visitor: Visitor, pool: asyncpg.Pool, configure: Any
) -> None:
    configure(required_claims={"hd": "example.org", "org.units": "research"})
    await refused(visitor, pool, "may not use EchoMind", 403)
    visitor.provider.person |= {"hd": "example.org", "org": {"units": ["sales"]}}
    await refused(visitor, pool, "may not use EchoMind", 403)
    visitor.provider.person["org"]["units"].append("research")
    assert (await visitor.sign_in()).status == 200
    configure(create_accounts=False)
    assert (await visitor.sign_in()).status == 200
    visitor.provider.person |= {"sub": name(), "email": f"{name()}@example.org"}
    await refused(visitor, pool, "may not use EchoMind", 403)


async def test_an_account_needs_no_address(visitor: Visitor, pool: asyncpg.Pool, owner: Client) -> None:
    for email in (None, "no address", "a@b@c", 7):
        visitor.provider.person |= {"email": email, "email_verified": True, "sub": name(), "preferred_username": name()}
        me = await visitor.me(await visitor.sign_in())
        assert (me.get("email", ""), me.get("isEmailVerified", False)) == ("", False)
    later = f"{name()}@example.org"
    visitor.provider.person["email"] = later
    me = await visitor.me(await visitor.sign_in())
    assert (me["email"], me["isEmailVerified"]) == (later, True)
    # Lists in the order of addresses have those without one, page by page.
    request: dict[str, Any] = {"order": "USER_ORDER_EMAIL", "pageSize": 2, "pageToken": ""}
    found: list[int] = []
    while True:
        page = await owner.call("UserService/ListUsers", request)
        found += [user["id"] for user in page["users"]]
        if not (token := page.get("nextPageToken", "")):
            break
        request["pageToken"] = token
    assert sorted(found) == sorted(each["id"] for each in await pool.fetch("SELECT id FROM users"))


async def test_a_first_sign_in_opens_the_account_that_scim_maintains(
    visitor: Visitor, owner: Client, configure: Any, pool: asyncpg.Pool
) -> None:
    configure(scim_claim="oid")
    scim = await scim_caller(owner, f"c{name()}", "main")
    person = visitor.provider.person
    emails = [{"value": person["email"]}]
    made = await scim.user(f"{name()}@example.org", externalId="object-1", emails=emails, active=True)
    user_id = await pool.fetchval("SELECT user_id FROM scim_users WHERE id = $1", made["id"])
    for oid in ("object-2", "", None, 1, "object-1 ", "OBJECT-1"):
        person["oid"] = oid
        await refused(visitor, pool, "already an account", status=409)
    person["oid"] = "object-1"
    assert (await visitor.me(await visitor.sign_in()))["id"] == user_id
    # From then on the subject decides, whatever the claim says.
    person["oid"] = "object-3"
    assert (await visitor.me(await visitor.sign_in()))["id"] == user_id
    person |= {"sub": name(), "oid": "object-1"}
    await refused(visitor, pool, "already an account", status=409)
    await scim.send("DELETE", f"/Users/{made['id']}")
    second = await scim.user(f"{name()}@example.org", externalId="object-4", active=False)
    person |= {"sub": name(), "oid": "object-4", "email": f"{name()}@example.org"}
    await refused(visitor, pool, "deactivated")
    assert second["active"] is False
    # Somebody who has signed in before is recognized by the client.
    person |= {"sub": name(), "oid": "object-5", "email": f"{name()}@example.org", "preferred_username": name()}
    earlier = (await visitor.me(await visitor.sign_in()))["id"]
    known = await scim.user(person["email"], externalId="object-5", emails=[{"value": person["email"]}])
    assert await pool.fetchval("SELECT user_id FROM scim_users WHERE id = $1", known["id"]) == earlier


async def test_groups_and_roles_follow_the_mapping_and_leave_what_others_gave(
    visitor: Visitor, owner: Client, configure: Any
) -> None:
    ours, manual = name(), name()
    configure(groups={"p-research": ours}, roles={"p-admins": "admin"}, groups_claim="realm_access.roles")
    visitor.provider.person["realm_access"] = {"roles": ["p-research", "p-admins", manual, "superadmin"]}
    me = await visitor.me(await visitor.sign_in())
    assert (me["groups"], me["roles"]) == ([ours], ["ROLE_USER", "ROLE_ADMIN"])
    change = {"id": me["id"], "user": {"groups": [ours, manual]}, "updateMask": "groups"}
    await owner.call("UserService/UpdateUser", change)
    # Too many to send: nothing changes.
    del visitor.provider.person["realm_access"]
    visitor.provider.person["hasgroups"] = True
    me = await visitor.me(await visitor.sign_in())
    assert set(me["groups"]) == {ours, manual}
    # The claim is gone: so are those that the provider gave, and no others.
    del visitor.provider.person["hasgroups"]
    me = await visitor.me(await visitor.sign_in())
    assert (me["groups"], me["roles"]) == ([manual], ["ROLE_USER"])


async def test_memberships_of_a_provider_are_not_removed_by_hand(
    visitor: Visitor, owner: Client, configure: Any, via: Transport
) -> None:
    ours, manual = name(), name()
    configure(groups={"p-research": ours})
    visitor.provider.person["groups"] = ["p-research"]
    me = await visitor.me(await visitor.sign_in())
    assert me["externalId"] == f"main:{visitor.provider.person['sub']}"
    change = {"id": me["id"], "user": {"groups": [ours, manual]}, "updateMask": "groups"}
    changed = await owner.call("UserService/UpdateUser", change, via)
    given = {(each["group"], each["source"]) for each in changed["memberships"]}
    assert given == {(ours, f"provider:{visitor.provider.url}"), (manual, "manual")}
    found = await owner.call("GroupService/ListGroups", {"query": ours}, via)
    (group,) = found["groups"]
    assert group["memberCount"] == 1
    refusal = f"{me['userName']} is in {ours} by provider:{visitor.provider.url}"
    with pytest.raises(ValidationFailedError, match=refusal):
        await owner.call("UserService/UpdateUser", change | {"user": {"groups": []}}, via)
    with pytest.raises(ValidationFailedError, match=refusal):
        await owner.call("GroupService/RemoveGroupMembers", {"id": group["id"], "userIds": [me["id"]]}, via)
    assert set((await visitor.me(await visitor.sign_in()))["groups"]) == {ours, manual}
    await owner.call("GroupService/DeleteGroup", {"id": group["id"]}, via)
    assert (await owner.call("UserService/GetUser", {"id": me["id"]}, via))["groups"] == [manual]


async def test_claims_that_the_token_lacks_are_asked_for(visitor: Visitor, pool: asyncpg.Pool, configure: Any) -> None:
    ours = name()
    configure(groups={"p-research": ours})
    visitor.provider.userinfo = {"groups": ["p-research"], "name": "Kim Öz", "email": "of@the.userinfo"}
    me = await visitor.me(await visitor.sign_in())
    assert (me["groups"], me["firstName"], me["lastName"]) == ([ours], "Kim", "Öz")
    assert me["email"] == visitor.provider.person["email"]
    visitor.provider.userinfo["sub"] = "of somebody else"
    await refused(visitor, pool, "does not prove who you are")

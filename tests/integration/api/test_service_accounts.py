"""Service accounts: their groups manage them and their keys, they sign in nowhere, and nobody gains by them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from echomind_api.administration import purge
from echomind_api.administration.purge import Purge
from echomind_lib.errors import (
    AlreadyExistsError,
    DeletionHeldError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.service_accounts import (
    ACCOUNTS,
    GROUPS,
    create_account,
    is_valid,
    new_group,
    program,
    update_account,
)
from tests.factories import rows
from tests.factories.world import name


async def test_an_admin_of_a_group_has_a_program_work(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss = await new_user()
    group = await new_group(owner, boss)
    account = await create_account(boss, group, via, purpose="Imports the tickets")
    assert (account["ownerGroup"], account["groups"], account["roles"]) == (
        group["name"],
        [group["name"]],
        ["ROLE_USER"],
    )
    assert (account["createdBy"], account.get("updatedBy", 0), account["isActive"]) == (boss.user_id, 0, True)
    assert account["canManage"]
    assert account["canCreateKeys"]
    ticket, key = await program(boss, account)
    me = await ticket.call("UserService/GetCurrentUser", via=via)
    assert (me["id"], me["kind"], me["userName"]) == (account["id"], "ACCOUNT_KIND_SERVICE", account["name"])
    with pytest.raises(PermissionDeniedError):  # its keys never administer
        await ticket.call("UserService/UpdateUser", {"id": account["id"], "user": {"firstName": "x"}}, via)
    (listed,) = (await boss.call(f"{ACCOUNTS}/ListServiceAccountKeys", {"id": account["id"]}, via))["apiKeys"]
    assert listed["id"] == key
    assert listed["scopes"] == [f"API_KEY_SCOPE_{word}" for word in ("READ", "ASK", "INGEST", "MANAGE")]

    rotation = {"id": account["id"], "keyId": key, "overlapSeconds": 3600}
    rotated = await boss.call(f"{ACCOUNTS}/RotateServiceAccountKey", rotation, via)
    later = boss.as_(rotated["secret"])
    assert [await is_valid(ticket), await is_valid(later)] == [True, True]
    await pool.execute("UPDATE api_keys SET last_used_at = '2026-02-03', expires_at = now() WHERE id = $1", key)
    found = await boss.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]}, via)
    assert (found["lastUsedAt"], found.get("keyCount", 0)) == ("2026-02-03T00:00:00Z", 0)
    await pool.execute("UPDATE api_keys SET expires_at = NULL WHERE id = $1", key)
    await boss.call(f"{ACCOUNTS}/DeleteServiceAccountKey", {"id": account["id"], "keyId": key}, via)
    assert [await is_valid(ticket), await is_valid(later)] == [False, False]
    audited = await pool.fetch("SELECT action FROM audit_log WHERE actor_id = $1 AND NOT denied", boss.user_id)
    assert {row["action"].removeprefix(f"{ACCOUNTS}/") for row in audited} >= {
        "CreateServiceAccount",
        "CreateServiceAccountKey",
        "RotateServiceAccountKey",
        "DeleteServiceAccountKey",
    }


async def test_their_managers_limit_their_keys(owner: Client, new_user: NewUser, via: Transport) -> None:
    boss, other = await new_user(), await new_user()
    account = await create_account(boss, await new_group(owner, boss))
    ticket, key = await program(boss, account)
    quota = {"period": "QUOTA_PERIOD_DAY", "maxTokens": "100"}
    request = {"id": account["id"], "keyId": key, "quotas": [quota], "maxConcurrentRuns": 2}
    changed = await boss.call(f"{ACCOUNTS}/SetServiceAccountKeyQuotas", request, via)
    assert (changed["quotas"][0]["maxTokens"], changed["maxConcurrentRuns"]) == ("100", 2)
    (listed,) = (await boss.call(f"{ACCOUNTS}/ListServiceAccountKeys", {"id": account["id"]}, via))["apiKeys"]
    assert listed["quotas"] == changed["quotas"]
    foreign = (await owner.call("ApiKeyService/CreateApiKey", {"name": name()}))["apiKey"]["id"]
    for caller, asked, error in (
        (other, request, NotFoundError),
        (ticket, request, PermissionDeniedError),
        (boss, request | {"keyId": foreign}, NotFoundError),
    ):
        with pytest.raises(error):
            await caller.call(f"{ACCOUNTS}/SetServiceAccountKeyQuotas", asked, via)
    with pytest.raises(PermissionDeniedError):
        await ticket.call("ApiKeyService/SetApiKeyQuotas", {"id": key}, via)
    await boss.call(f"{ACCOUNTS}/SetServiceAccountKeyQuotas", {"id": account["id"], "keyId": key}, via)


async def test_they_are_listed_to_those_who_administer(owner: Client, new_user: NewUser, via: Transport) -> None:
    boss, member, other, admin = await new_user(), await new_user(), await new_user(), await new_user("admin")
    group, theirs = await new_group(owner, boss, member), await new_group(owner, other)
    mark = name()
    account = await create_account(boss, group, name=f"{mark}-b", purpose="x")
    second = await create_account(other, theirs, name=f"{mark}-A", purpose=mark)

    async def listed(caller: Client, **filters: Any) -> list[int]:
        request = {"query": mark.upper()} | filters
        answer = await caller.call(f"{ACCOUNTS}/ListServiceAccounts", request, via)
        return [each["id"] for each in answer.get("serviceAccounts", [])]

    assert [await listed(each) for each in (boss, member, other)] == [[account["id"]], [], [second["id"]]]
    assert await listed(admin) == [second["id"], account["id"]]
    assert await listed(admin, ownerGroupId=group["id"]) == [account["id"]]
    await update_account(boss, account, isActive=False)
    assert await listed(admin, state="USER_STATE_ACTIVE") == [second["id"]]
    with pytest.raises(NotFoundError):
        await member.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]}, via)
    with pytest.raises(NotFoundError):  # an account of a person is none
        await owner.call(f"{ACCOUNTS}/GetServiceAccount", {"id": boss.user_id}, via)


async def test_no_one_gives_or_gains_more_than_they_may(owner: Client, new_user: NewUser, via: Transport) -> None:
    boss, other = await new_user(), await new_user("admin")
    group, foreign = await new_group(owner, boss), await new_group(owner, other, boss)
    account = await create_account(boss, group)
    for refused, error in (
        ({"groups": [foreign["name"]]}, NotFoundError),
        ({"roles": ["ROLE_ADMIN"]}, PermissionDeniedError),
        ({"ownerGroupId": foreign["id"]}, NotFoundError),
    ):
        with pytest.raises(error):
            await update_account(boss, account, via, **refused)
        with pytest.raises(error):
            await create_account(boss, group, via, **refused)
    with pytest.raises(ValidationFailedError):
        await create_account(owner, group, via, roles=["ROLE_SUPERADMIN"])

    # What a superadmin gives beyond, its keys have: so the group's admins make none.
    given = await update_account(owner, account, via, groups=[foreign["name"]])
    assert given["groups"] == sorted([group["name"], foreign["name"]])
    client, key = await program(owner, account)
    assert not (await boss.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]}, via)).get("canCreateKeys")
    rotation = {"id": account["id"], "keyId": key}
    for method, request in (
        ("CreateServiceAccountKey", {"id": account["id"], "name": "mine"}),
        ("RotateServiceAccountKey", rotation),
        ("DeleteServiceAccount", {"id": account["id"]}),
    ):
        with pytest.raises(PermissionDeniedError) as caught:
            await boss.call(f"{ACCOUNTS}/{method}", request, via)
        assert caught.value.metadata["required"] == "superadmin"
    assert await is_valid(client)
    assert (await update_account(boss, account, via, groups=[]))["canCreateKeys"]  # they may take it away
    await update_account(owner, account, via, roles=["ROLE_ADMIN"])
    with pytest.raises(PermissionDeniedError):
        await boss.call(f"{ACCOUNTS}/CreateServiceAccountKey", {"id": account["id"], "name": "mine"}, via)
    await boss.call(f"{ACCOUNTS}/DeleteServiceAccountKey", rotation, via)
    assert not await is_valid(client)


async def test_an_admin_of_another_group_adds_none_that_is_not_theirs(owner: Client, new_user: NewUser) -> None:
    boss, other = await new_user(), await new_user()
    group, theirs = await new_group(owner, boss), await new_group(owner, other)
    account = await create_account(boss, group)
    with pytest.raises(NotFoundError):
        await other.call(f"{GROUPS}/AddGroupMembers", {"id": theirs["id"], "userNames": [account["name"]]})
    both = await new_group(owner, boss)
    added = await boss.call(f"{GROUPS}/AddGroupMembers", {"id": both["id"], "userNames": [account["name"]]})
    assert added["memberCount"] == 2
    members = (await boss.call(f"{GROUPS}/ListGroupMembers", {"id": both["id"]}))["members"]
    assert {each["kind"] for each in members} == {"ACCOUNT_KIND_PERSON", "ACCOUNT_KIND_SERVICE"}
    assert not any(each.get("belongsToGroup") for each in members)
    members = (await boss.call(f"{GROUPS}/ListGroupMembers", {"id": group["id"]}))["members"]
    assert [each["userId"] for each in members if each.get("belongsToGroup")] == [account["id"]]
    administration = {"id": both["id"], "userId": account["id"], "isAdmin": True}
    with pytest.raises(ValidationFailedError):
        await owner.call(f"{GROUPS}/SetGroupAdmin", administration)


async def test_the_group_that_it_belongs_to_keeps_it(owner: Client, new_user: NewUser, via: Transport) -> None:
    boss = await new_user()
    group, later = await new_group(owner, boss), await new_group(owner, boss)
    account = await create_account(boss, group)
    removal = {"id": group["id"], "userIds": [account["id"]]}
    with pytest.raises(ValidationFailedError, match="belongs to"):
        await boss.call(f"{GROUPS}/RemoveGroupMembers", removal, via)
    with pytest.raises(ValidationFailedError, match="1 service accounts"):
        await owner.call(f"{GROUPS}/DeleteGroup", {"id": group["id"]}, via)
    assert (await update_account(boss, account, via, groups=[]))["groups"] == [group["name"]]
    moved = await update_account(boss, account, via, ownerGroupId=later["id"], groups=[])
    assert (moved["ownerGroup"], moved["groups"]) == (later["name"], [later["name"]])
    await owner.call(f"{GROUPS}/DeleteGroup", {"id": group["id"]}, via)
    # Nobody is left to administer the group: superadmins continue.
    await owner.call(f"{GROUPS}/RemoveGroupMembers", {"id": later["id"], "userIds": [boss.user_id]}, via)
    with pytest.raises(NotFoundError):
        await boss.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]}, via)
    assert (await owner.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]}, via))["canCreateKeys"]


async def test_it_signs_in_nowhere(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    account = await create_account(owner, await new_group(owner))
    client = await rows.scim_client(pool)
    promotion = {"id": account["id"], "user": {"roles": ["ROLE_SUPERADMIN"]}, "updateMask": "roles"}
    for method, request in (
        ("AuthService/CreateSignInLink", {"userId": account["id"]}),
        ("AuthService/CreatePasswordLink", {"userId": account["id"]}),
        ("ScimClientService/GiveUserToScimClient", {"id": client["id"], "userId": account["id"]}),
        ("UserService/SetEmailVerified", {"id": account["id"], "isVerified": True}),
        ("UserService/UpdateUser", promotion),
        ("UserService/SignOutUser", {"id": account["id"]}),
        ("UserService/PurgeUser", {"id": account["id"]}),
    ):
        with pytest.raises(ValidationFailedError, match="service account"):
            await owner.call(method, request, via)


@pytest.mark.parametrize(
    "insertion",
    [
        "credentials (user_id, password_hash) VALUES ($1, 'x')",
        "sign_in_tokens (user_id, token_hash, expires_at) VALUES ($1, sha256('a'), now())",
        "web_sessions (user_id, token_hash, expires_at) VALUES ($1, sha256('a'), now())",
        "user_identities (user_id, issuer, subject) VALUES ($1, 'i', 's')",
        "group_admins (user_id, group_id) SELECT $1, owner_group_id FROM users WHERE id = $1",
    ],
)
async def test_the_database_refuses_its_sign_ins(pool: asyncpg.Pool, insertion: str) -> None:
    account = await rows.service_account(pool)
    with pytest.raises(asyncpg.CheckViolationError, match="service account"):
        await pool.execute(f"INSERT INTO {insertion}", account["id"])


async def test_deactivated_it_is_out_with_its_runs(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    admin = await new_user()
    account = await create_account(owner, await new_group(owner, admin))
    client, _ = await program(owner, account)
    run = (await rows.run(pool, user_id=account["id"], status="queued"))["id"]
    assert not (await update_account(owner, account, via, isActive=False)).get("isActive", False)
    assert not await is_valid(client)
    assert await pool.fetchval("SELECT status FROM runs WHERE id = $1", run) == "cancelled"
    with pytest.raises(ValidationFailedError, match="deactivated"):
        await program(owner, account)
    assert (await update_account(owner, account, via, isActive=True))["isActive"]
    assert not await is_valid(client)
    again, _ = await program(owner, account)
    held = (await rows.legal_hold(pool, user_id=account["id"]))["id"]
    # Only superadmins are to know of a hold.
    for caller, sentence in ((owner, "legal hold is on this account"), (admin, "your organization has to keep it")):
        with pytest.raises(DeletionHeldError, match=sentence) as refused:
            await caller.call(f"{ACCOUNTS}/DeleteServiceAccount", {"id": account["id"]}, via)
        assert ("hold" in str(refused.value)) is (caller is owner)
    await pool.execute("DELETE FROM legal_holds WHERE id = $1", held)
    assert await is_valid(again)
    await owner.call(f"{ACCOUNTS}/DeleteServiceAccount", {"id": account["id"]}, via)
    assert not await is_valid(again)
    assert await pool.fetchval("SELECT count(*) FROM users WHERE id = $1", account["id"]) == 0


async def test_an_activation_ends_its_deletion(
    owner: Client, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = await create_account(owner, await new_group(owner))
    for _ in range(3):
        await rows.chat_session(pool, user_id=account["id"])
    as_it_is = Purge.sessions

    async def delete(*given: Any) -> None:
        await as_it_is(*given)
        await pool.execute("UPDATE users SET is_active = true WHERE id = $1", account["id"])

    with monkeypatch.context() as patch:
        patch.setattr(purge, "_SESSIONS_AT_ONCE", 2)
        patch.setattr(Purge, "sessions", delete)
        with pytest.raises(ValidationFailedError, match="was activated again, which ends its deletion"):
            await owner.call(f"{ACCOUNTS}/DeleteServiceAccount", {"id": account["id"]})
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE user_id = $1", account["id"]) == 1
    await owner.call(f"{ACCOUNTS}/DeleteServiceAccount", {"id": account["id"]})
    with pytest.raises(NotFoundError):
        await owner.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]})


async def test_it_outlasts_who_created_it(owner: Client, new_user: NewUser, pool: asyncpg.Pool) -> None:
    boss = await new_user()
    account = await create_account(boss, await new_group(owner, boss))
    client, _ = await program(boss, account)
    change = {"id": boss.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    assert await is_valid(client)
    await owner.call("UserService/PurgeUser", {"id": boss.user_id})
    found = await owner.call(f"{ACCOUNTS}/GetServiceAccount", {"id": account["id"]})
    assert (found.get("createdBy", 0), found.get("createdByName", "")) == (0, "")


async def test_its_names_and_keys_follow_the_rules_of_accounts(
    owner: Client, new_user: NewUser, via: Transport
) -> None:
    group = await new_group(owner)
    taken = (await (await new_user()).call("UserService/GetCurrentUser"))["userName"]
    with pytest.raises(AlreadyExistsError) as caught:
        await create_account(owner, group, via, name=taken.upper())
    assert caught.value.metadata["field"] == "name"
    account = await create_account(owner, group)
    for wrong in (
        {"scopes": ["API_KEY_SCOPE_ADMINISTER"]},
        {"expiresAt": "2020-01-01T00:00:00Z"},
    ):
        with pytest.raises(ValidationFailedError):
            await program(owner, account, **wrong)
    expires_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    new = {"name": name(), "scopes": ["API_KEY_SCOPE_ADMINISTER"], "expiresAt": expires_at}
    expiring = owner.as_((await owner.call("ApiKeyService/CreateApiKey", new))["secret"])
    for call in (create_account(expiring, group, via), program(expiring, account)):
        with pytest.raises(PermissionDeniedError) as refused:
            await call
        assert refused.value.metadata == {"required": "lasting_credential"}


async def test_a_group_has_a_limited_number_of_them(owner: Client, new_user: NewUser, pool: asyncpg.Pool) -> None:
    boss = await new_user()
    group = await new_group(owner, boss)

    async def fill(first: int, last: int) -> None:
        await pool.execute(
            "INSERT INTO users (user_name, kind, owner_group_id) SELECT format('full-%s-%s', $1::int, n), 'service', $1"
            " FROM generate_series($2::int, $3::int) AS n",
            group["id"],
            first,
            last,
        )

    await fill(1, 9)
    elsewhere = await create_account(boss, await new_group(owner, boss))
    await create_account(boss, group)
    for more in (create_account(boss, group), update_account(boss, elsewhere, ownerGroupId=group["id"])):
        with pytest.raises(ValidationFailedError, match=r"its admins may give it at most 10: .* role superadmin"):
            await more
    await create_account(owner, group)
    await fill(12, 100)
    with pytest.raises(ValidationFailedError, match="a group may have at most 100: delete one first"):
        await create_account(owner, group)


async def test_quotas_of_its_group_bind_it(owner: Client, pool: asyncpg.Pool) -> None:
    group = await new_group(owner)
    account = await create_account(owner, group)
    given = {"scope": "QUOTA_SCOPE_GROUP", "groupId": group["id"], "period": "QUOTA_PERIOD_DAY", "maxTokens": "5"}
    quota = await owner.call("QuotaService/CreateQuota", {"quota": given})
    client, _ = await program(owner, account)
    (usage,) = [
        each
        for each in (await client.call("QuotaService/ListQuotaUsage"))["usage"]
        if each["scope"] == "QUOTA_SCOPE_GROUP"
    ]
    assert usage["maxTokens"] == "5"
    await owner.call("QuotaService/DeleteQuota", {"id": quota["id"]})


async def test_people_are_offered_people(owner: Client, new_user: NewUser, via: Transport) -> None:
    admin = await new_user("admin")
    account = await create_account(owner, await new_group(owner), name=f"find-{name()}")
    assert not (await admin.call("DirectoryService/SearchDirectory", {"query": account["name"]}, via)).get("people")

    async def listed(**filters: Any) -> list[int]:
        answer = await admin.call("UserService/ListUsers", {"query": account["name"]} | filters, via)
        return [user["id"] for user in answer.get("users", [])]

    assert await listed() == await listed(kind="ACCOUNT_KIND_SERVICE") == [account["id"]]
    assert await listed(kind="ACCOUNT_KIND_PERSON") == []


async def test_the_audit_log_says_that_a_program_did_it(owner: Client) -> None:
    account = await create_account(owner, await new_group(owner))
    client, key = await program(owner, account)
    await client.call("ApiKeyService/CreateApiKey", {"name": "of its own"})
    (entry,) = (await owner.call("AuditService/ListAuditEntries", {"actorId": account["id"]}))["entries"]
    assert (entry["actorName"], entry["actorKind"]) == (account["name"], "ACCOUNT_KIND_SERVICE")
    assert entry["credential"] == f"api-keys/{key}"
    made = {"target": f"service-accounts/{account['id']}"}
    (created,) = (await owner.call("AuditService/ListAuditEntries", made))["entries"]
    assert (created["actorId"], created["actorKind"]) == (owner.user_id, "ACCOUNT_KIND_PERSON")

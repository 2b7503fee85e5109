"""Accounts of the people of a source, and readers of a document there."""

from datetime import UTC, datetime
from typing import Any

import asyncpg

from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows


async def test_people_are_mapped_by_verified_email_and_by_alias(
    new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss, alice = await new_user("superadmin"), await new_user()
    email = await pool.fetchval("SELECT email FROM users WHERE id = $1", alice.user_id)
    connector = (await rows.connector(pool, scope="org", permission_mode="source", user_id=boss.user_id))["id"]
    person = await rows.source_principal(pool, connector_id=connector, email=email.upper())
    stranger = await rows.source_principal(pool, connector_id=connector, email="nobody@example.net")
    document = (await rows.document(pool, connector_id=connector, title="Secret"))["id"]
    for each in (person, stranger):
        await rows.insert(pool, "document_acl", {"document_id": document, "principal_id": each["id"]})

    async def mappings(**given: Any) -> list[str]:
        request = {"connectorId": connector, **given}
        found = await boss.call("SourcePermissionService/ListSourcePeople", request, via)
        return [each["mapping"].removeprefix("SOURCE_PERSON_MAPPING_") for each in found.get("people", [])]

    async def reads() -> bool:
        try:
            await alice.call("DocumentService/GetDocument", {"id": document}, via)
        except NotFoundError:
            return False
        return True

    assert (await mappings(), await reads()) == (["UNVERIFIED", "NO_ACCOUNT"], False)
    verified = await boss.call("UserService/SetEmailVerified", {"id": alice.user_id, "isVerified": True}, via)
    assert verified["isEmailVerified"]
    entry = "SELECT detail::text FROM audit_log WHERE action = 'UserService/SetEmailVerified' AND target = $1"
    assert email not in await pool.fetchval(entry, f"users/{alice.user_id}")
    assert (await mappings(), await reads()) == (["EMAIL", "NO_ACCOUNT"], True)
    change = {"id": alice.user_id, "user": {"email": f"new.{email}"}, "updateMask": "email"}
    await boss.call("UserService/UpdateUser", change, via)
    assert (await mappings(unmappedOnly=True), await reads()) == (["NO_ACCOUNT", "NO_ACCOUNT"], False)
    alias = {"key": stranger["key"], "userId": alice.user_id}
    await boss.call("SourcePermissionService/SetSourceAlias", alias, via)
    assert (await mappings(unmappedOnly=True), await reads()) == (["NO_ACCOUNT"], True)
    readers = await boss.call("SourcePermissionService/ListDocumentReaders", {"documentId": document}, via)
    accounts = {each["key"]: each.get("accounts", 0) for each in readers["readers"]}
    assert accounts == {person["key"]: 0, stranger["key"]: 1}
    await boss.call("SourcePermissionService/SetSourceAlias", {"key": stranger["key"]}, via)
    assert not await reads()


async def test_aliases_are_listed_also_those_without_effect(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, alice, left = await new_user("superadmin"), await new_user(), await new_user()
    connectors = [(await rows.connector(pool, permission_mode="source", user_id=boss.user_id))["id"] for _ in range(2)]
    known = await rows.source_principal(pool, connector_id=connectors[0], email="ann@old.test")
    for connector, key, name in ((connectors[1], known["key"], "Ann"), (connectors[1], known["key"] + "-2", "Bob")):
        await rows.source_principal(pool, connector_id=connector, key=key, name=name)
    unknown = f"{known['key']}-3"
    given = ((known["key"], alice), (f"{known['key']}-2", left), (unknown, alice))
    for key, account in given:
        await boss.call("SourcePermissionService/SetSourceAlias", {"key": key, "userId": account.user_id}, via)

    async def aliases(**request: Any) -> list[tuple[str, str, int, int]]:
        request = {"query": known["key"], **request}
        found = await boss.call("SourcePermissionService/ListSourceAliases", request, via)
        listed = found.get("aliases", [])
        return [
            (each["key"], each.get("name", ""), each.get("userId", 0), each.get("connectors", 0)) for each in listed
        ]

    shown = [
        (known["key"], "Ann", alice.user_id, 2),
        (given[1][0], "Bob", left.user_id, 1),
        (unknown, "", alice.user_id, 0),
    ]
    assert await aliases() == shown
    assert await aliases(unusedOnly=True) == [(unknown, "", alice.user_id, 0)]
    await pool.execute("DELETE FROM users WHERE id = $1", left.user_id)
    deleted = (given[1][0], "Bob", 0, 1)
    assert await aliases(unusedOnly=True) == [deleted, (unknown, "", alice.user_id, 0)]
    people = await boss.call("SourcePermissionService/ListSourcePeople", {"connectorId": connectors[1]}, via)
    assert [each["mapping"].removeprefix("SOURCE_PERSON_MAPPING_") for each in people["people"]] == [
        "ALIAS",
        "ACCOUNT_DELETED",
    ]
    page = await boss.call("SourcePermissionService/ListSourceAliases", {"query": known["key"], "pageSize": 2}, via)
    assert await aliases(pageToken=page["nextPageToken"], pageSize=2) == shown[2:]


async def test_access_of_a_superadmin_who_is_no_reader_is_audited(
    new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss = await new_user("superadmin")
    connector = (await rows.connector(pool, scope="org", permission_mode="source", user_id=boss.user_id))["id"]
    document = (await rows.document(pool, connector_id=connector))["id"]
    found = await boss.call("DocumentService/ListDocuments", {"connectorId": connector}, via)
    assert [each["id"] for each in found["documents"]] == [str(document)]
    await boss.call("DocumentService/GetDocument", {"id": document}, via)
    recorded = await pool.fetch(
        "SELECT target FROM audit_log WHERE actor_id = $1 AND action LIKE 'DocumentService/%' ORDER BY id", boss.user_id
    )
    assert [each["target"] for each in recorded] == [f"connectors/{connector}", f"documents/{document}"]


async def test_people_and_groups_are_found_and_readers_name_accounts_to_admins(
    new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss, alice, manager = await new_user("superadmin"), await new_user(), await new_user()
    email = await pool.fetchval(
        "UPDATE users SET is_email_verified = true WHERE id = $1 RETURNING email", alice.user_id
    )
    connector = (await rows.connector(pool, permission_mode="source", user_id=manager.user_id))["id"]
    known = {"connector_id": connector}
    person = await rows.source_principal(pool, **known, name="Alice", email=email)
    other = await rows.source_principal(pool, **known, name="Bob 100%")
    fresh = await rows.source_principal(pool, **known, key="group:test:fresh", members_read_at=datetime.now(UTC))
    stale = await rows.source_principal(pool, **known, key="group:test:stale", name="Old guard")
    for group in (fresh, stale):
        for member in (person, other):
            await rows.insert(pool, "source_members", {"group_id": group["id"], "member_id": member["id"]})
    document = (await rows.document(pool, connector_id=connector))["id"]
    for each in (person, other, fresh, stale):
        await rows.insert(pool, "document_acl", {"document_id": document, "principal_id": each["id"]})

    async def people(**given: Any) -> list[str]:
        request = {"connectorId": connector, **given}
        found = await boss.call("SourcePermissionService/ListSourcePeople", request, via)
        return [each["key"] for each in found.get("people", [])]

    assert await people(query="ALICE") == [person["key"]]
    assert await people(query="100%") == [other["key"]]
    assert await people(query="%") == [other["key"]]
    assert await people(mapping="SOURCE_PERSON_MAPPING_EMAIL") == [person["key"]]
    assert await people(mapping="SOURCE_PERSON_MAPPING_ALIAS") == []
    groups = await boss.call("SourcePermissionService/ListSourceGroups", {"connectorId": connector}, via)
    shown = {each["key"]: (each["members"], each.get("accounts", 0)) for each in groups["groups"]}
    assert shown == {fresh["key"]: (2, 1), stale["key"]: (2, 0)}
    assert [each.get("isOutdated", False) for each in groups["groups"]] == [False, True]
    found = await boss.call("SourcePermissionService/ListSourceGroups", {"connectorId": connector, "query": "old"}, via)
    assert [each["key"] for each in found["groups"]] == [stale["key"]]

    # The manager is a reader and no admin: they see whether people are mapped, but not to which account.
    await boss.call("SourcePermissionService/SetSourceAlias", {"key": other["key"], "userId": manager.user_id}, via)
    for somebody, names in ((boss, {"user-"}), (manager, {""})):
        readers = await somebody.call("SourcePermissionService/ListDocumentReaders", {"documentId": document}, via)
        mapped = {each["key"]: each for each in readers["readers"]}
        assert mapped[person["key"]]["mapping"] == "SOURCE_PERSON_MAPPING_EMAIL"
        assert mapped[other["key"]]["mapping"] == "SOURCE_PERSON_MAPPING_ALIAS"
        unmapped = "SOURCE_PERSON_MAPPING_UNSPECIFIED"
        assert mapped[fresh["key"]].get("mapping", unmapped) == unmapped
        assert {mapped[each["key"]].get("userName", "")[:5] for each in (person, other)} == names


async def test_failures_name_items_to_their_readers_and_superadmins_alone(
    new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss, manager = await new_user("superadmin", groups=("failing",)), await new_user("admin", groups=("failing",))
    shared = {"scope": "group", "scope_id": "failing", "permission_mode": "source"}
    connector = (await rows.connector(pool, user_id=manager.user_id, **shared))["id"]
    sync = (await rows.connector_sync(pool, connector_id=connector, status="completed", kind="full"))["id"]
    reader = await rows.source_principal(pool, connector_id=connector)
    await rows.source_alias(pool, key=reader["key"], user_id=manager.user_id)
    mine = (await rows.document(pool, connector_id=connector, source_id="mine"))["id"]
    await rows.document(pool, connector_id=connector, source_id="secret")
    await rows.insert(pool, "document_acl", {"document_id": mine, "principal_id": reader["id"]})
    for source_id in ("mine", "secret", "never read", ""):
        given = {"sync_id": sync, "connector_id": connector, "source_id": source_id, "name": f"{source_id}.txt"}
        await rows.insert(pool, "connector_sync_failures", {**given, "message": "Too large", "is_retryable": False})

    async def failures(somebody: Client) -> list[tuple[str, str, str]]:
        found = await somebody.call("ConnectorSyncService/ListConnectorSyncFailures", {"id": sync}, via)
        return [(each.get("sourceId", ""), each.get("name", ""), each["message"]) for each in found["failures"]]

    assert await failures(manager) == [("mine", "mine.txt", "Too large"), *[("", "", "Too large")] * 3]
    assert [name for _, name, _ in await failures(boss)] == ["mine.txt", "secret.txt", "never read.txt", ".txt"]
    recorded = "SELECT count(*) FROM audit_log WHERE actor_id = $1 AND action LIKE '%ListConnectorSyncFailures'"
    assert [await pool.fetchval(recorded, each.user_id) for each in (boss, manager)] == [1, 0]
    await pool.execute("UPDATE connectors SET permission_mode = 'scope' WHERE id = $1", connector)
    assert [name for _, name, _ in await failures(manager)][1:3] == ["secret.txt", "never read.txt"]

"""Which accounts the people of a source are, and who may read a document there."""

from typing import Any

import pytest

from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError
from tests.drivers.client import TRANSPORTS, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows

via_both = pytest.mark.parametrize("via", TRANSPORTS)


@via_both
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


@via_both
async def test_a_superadmin_who_is_no_reader_is_noted(new_user: NewUser, gateway: Gateway, via: Transport) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss = await new_user("superadmin")
    connector = (await rows.connector(pool, scope="org", permission_mode="source", user_id=boss.user_id))["id"]
    document = (await rows.document(pool, connector_id=connector))["id"]
    found = await boss.call("DocumentService/ListDocuments", {"connectorId": connector}, via)
    assert [each["id"] for each in found["documents"]] == [str(document)]
    await boss.call("DocumentService/GetDocument", {"id": document}, via)
    noted = await pool.fetch(
        "SELECT target FROM audit_log WHERE actor_id = $1 AND action LIKE 'DocumentService/%' ORDER BY id", boss.user_id
    )
    assert [each["target"] for each in noted] == [f"connectors/{connector}", f"documents/{document}"]

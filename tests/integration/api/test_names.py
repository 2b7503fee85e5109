"""Names refer to items of the caller, their groups and the organization; others require an id."""

from typing import Any
from uuid import uuid4

import pytest

from echomind_lib.errors import NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.uploads import upload


async def create(somebody: Client, name: str, **fields: Any) -> int:
    request = {"connector": {"name": name, "type": "CONNECTOR_TYPE_FILE"} | fields}
    made: int = (await somebody.call("ConnectorService/CreateConnector", request))["id"]
    return made


async def named(somebody: Client, name: str, via: Transport) -> list[int]:
    answer = await somebody.call("ConnectorService/ListConnectors", {"name": name}, via)
    return [connector["id"] for connector in answer.get("connectors", [])]


async def test_a_name_never_leads_into_another_persons_connector(new_user: NewUser, via: Transport) -> None:
    private, elsewhere = uuid4().hex, uuid4().hex
    other = await new_user("admin", groups=("elsewhere",))
    foreign = [
        await create(other, private),
        await create(other, elsewhere, scope="SCOPE_GROUP", scopeId="elsewhere"),
    ]
    for role in ("user", "admin", "superadmin"):
        somebody = await new_user(role, groups=("sales",))
        for name in (private, elsewhere):
            assert await named(somebody, name, via) == []
            (sent,) = await upload(somebody, ("a.txt", b"a"), fields={"connector": name})
            assert sent["connectorId"] not in foreign
            assert await named(somebody, name, via) == [sent["connectorId"]]


async def test_a_superadmin_reaches_another_persons_connector_by_its_id(new_user: NewUser) -> None:
    other, superadmin, admin = await new_user(), await new_user("superadmin"), await new_user("admin")
    foreign = await create(other, uuid4().hex)
    for field in ("connector", "connector_id"):
        (sent,) = await upload(superadmin, (f"{field}.txt", b"a"), fields={field: str(foreign)})
        assert sent["connectorId"] == foreign
        with pytest.raises(NotFoundError):
            await upload(admin, ("a.txt", b"a"), fields={field: str(foreign)})


async def test_digits_are_a_name_before_they_are_an_id(new_user: NewUser) -> None:
    other, superadmin = await new_user(), await new_user("superadmin")
    foreign = await create(other, uuid4().hex)
    own = await create(superadmin, str(foreign))
    (sent,) = await upload(superadmin, ("a.txt", b"a"), fields={"connector": str(foreign)})
    assert sent["connectorId"] == own


async def test_a_name_of_several_is_refused_with_their_ids(new_user: NewUser) -> None:
    somebody, superadmin = await new_user(), await new_user("superadmin")
    name = uuid4().hex
    ids = [await create(superadmin, name, scope="SCOPE_ORG"), await create(somebody, name)]
    with pytest.raises(ValidationFailedError) as caught:
        await upload(somebody, ("a.txt", b"a"), fields={"connector": name})
    assert f"name one by its id, {ids[0]}, {ids[1]}." in caught.value.message
    (sent,) = await upload(somebody, ("a.txt", b"a"), fields={"connector": name, "scope": "user"})
    assert sent["connectorId"] == ids[1]
    with pytest.raises(PermissionDeniedError):
        await upload(somebody, ("a.txt", b"a"), fields={"connector": name, "scope": "org"})


async def test_a_superadmins_connector_for_a_group_of_others_keeps_its_name(new_user: NewUser) -> None:
    await new_user(groups=("board",))
    superadmin = await new_user("superadmin")
    fields = {"scope": "group", "group": "board"}
    sent = [(await upload(superadmin, (f"{number}.txt", b"a"), fields=fields))[0] for number in range(2)]
    assert sent[0]["connectorId"] == sent[1]["connectorId"]

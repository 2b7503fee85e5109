"""People's own sign-ins for connectors: listed wherever they are, and taken back, at the provider too."""

import pytest

from echomind_lib.errors import NotFoundError
from tests.drivers.client import Client
from tests.drivers.connector_signer import Signer
from tests.factories.world import name

LIST, DISCONNECT = "ConnectorService/ListConnectedAccounts", "ConnectorService/DisconnectAccount"
GROUP = {"scope": "group", "scope_id": "signers"}


@pytest.fixture
def account(signer: Signer) -> str:
    """The account that the person signs in with; nobody else's connector reads with it."""
    signer.provider.account = f"{name()}@example.org"
    return signer.provider.account


async def ids(client: Client) -> list[int]:
    return [each["id"] for each in (await client.call(LIST)).get("accounts", [])]


async def test_a_person_sees_their_sign_ins_also_where_they_read_nothing_any_more(signer: Signer, account: str) -> None:
    own, of_group = await signer.connector(), await signer.connector("onedrive", **GROUP)
    await signer.connector()
    signer.page = await signer.browser(signer.person)
    await signer.sign_in(own)
    await signer.pool.execute("UPDATE users SET roles = '{admin}' WHERE id = $1", signer.person.user_id)
    signer.gateway.parts.dependencies.principals.forget(signer.person.user_id)
    await signer.sign_in(of_group)
    await signer.pool.execute("UPDATE users SET roles = '{user}', groups = '{}' WHERE id = $1", signer.person.user_id)
    signer.gateway.parts.dependencies.principals.forget(signer.person.user_id)
    with pytest.raises(NotFoundError):
        await signer.person.call("ConnectorService/GetConnector", {"id": of_group})
    listed = (await signer.person.call(LIST))["accounts"]
    shown = [(each["id"], each["provider"], each["account"], each["scope"]) for each in listed]
    assert shown == [
        (own, "Google", account, "SCOPE_USER"),
        (of_group, "Microsoft", account, "SCOPE_GROUP"),
    ]
    assert await ids(await signer.new_user()) == []
    await signer.person.call(DISCONNECT, {"id": of_group})
    assert await ids(signer.person) == [own]


async def test_a_sign_in_that_is_taken_back_is_gone_here_and_at_the_provider(signer: Signer, account: str) -> None:
    connector_id = await signer.connector()
    await signer.sign_in(connector_id)
    token = signer.provider.issued[-1]
    with pytest.raises(NotFoundError):
        await signer.owner.call(DISCONNECT, {"id": connector_id})
    done = await signer.person.call(DISCONNECT, {"id": connector_id})
    assert (done["isRevoked"], signer.provider.revoked) == (True, [token])
    row = await signer.row(connector_id)
    assert (row["encrypted_credentials"], row["connected_account"], row["signed_in_by"], row["next_sync_at"]) == (
        (None,) * 4
    )
    assert (row["status"], row["status_message"]) == (
        "pending",
        "Whoever signed in has disconnected their account: sign in again.",
    )
    with pytest.raises(NotFoundError):
        await signer.person.call(DISCONNECT, {"id": connector_id})
    detail = await signer.pool.fetchval(
        "SELECT detail FROM audit_log WHERE target = $1 ORDER BY id DESC LIMIT 1", f"connectors/{connector_id}"
    )
    assert account in str(detail)
    assert token not in str(detail)


async def test_an_account_that_another_connector_reads_with_keeps_its_access_until_the_last(
    signer: Signer, account: str
) -> None:
    first, second = await signer.connector(), await signer.connector()
    for each in (first, second):
        await signer.sign_in(each)
    done = await signer.person.call(DISCONNECT, {"id": first})
    assert not done.get("isRevoked")
    assert done["accessUrl"].startswith("https://myaccount.google.com/")
    assert signer.provider.revoked == []
    assert (await signer.person.call(DISCONNECT, {"id": second}))["isRevoked"]
    assert signer.provider.revoked == [signer.provider.issued[-1]]


@pytest.mark.parametrize(("type_", "status"), [("onedrive", 200), ("google_drive", 503)])
async def test_a_provider_that_revokes_nothing_does_not_keep_the_sign_in(
    signer: Signer, account: str, type_: str, status: int
) -> None:
    connector_id = await signer.connector(type_)
    await signer.sign_in(connector_id)
    signer.provider.status = status
    done = await signer.person.call(DISCONNECT, {"id": connector_id})
    assert not done.get("isRevoked")
    assert done["accessUrl"]
    assert (await signer.row(connector_id))["encrypted_credentials"] is None

"""Sign-ins at a provider: stored credentials, and permission to complete them."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from echomind_lib.errors import NotFoundError, PermissionDeniedError, SignInRefusedError, ValidationFailedError
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.connector_signer import COMPLETE, CONFIGS, START, Signer
from tests.drivers.sign_in_provider import CLIENT_ID, CLIENT_SECRET, unsigned
from tests.drivers.tables import for_each
from tests.factories import rows

DRIVE_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
PROVIDERS = {"google_drive": "Google", "onedrive": "Microsoft"}


@pytest.mark.parametrize("type_", CONFIGS)
async def test_a_sign_in_connects_a_connector(signer: Signer, type_: str) -> None:
    connector_id = await signer.connector(type_)
    shown = await signer.sign_in(connector_id)
    assert (shown["hasCredentials"], shown["connectedAccount"]) == (True, "kim@example.org")
    assert shown["nextSyncAt"]
    stored = await signer.grant(connector_id)
    assert (stored["refresh_token"], stored["account"]) == (signer.provider.issued[-1], "kim@example.org")
    assert (await signer.row(connector_id))["connected_account"] == "kim@example.org"
    form = signer.provider.forms[-1]
    assert form["redirect_uri"] == f"{signer.page.http_url}/connectors/sign-in"
    everything = [
        shown,
        await signer.person.call("ConnectorService/GetConnector", {"id": connector_id}),
        await signer.page.call("ConnectorService/ListConnectors", via="rest"),
        await signer.pool.fetch("SELECT detail FROM audit_log WHERE target = $1", f"connectors/{connector_id}"),
    ]
    secrets = (CLIENT_SECRET, signer.provider.issued[-1], form["code_verifier"], "an access token")
    assert not any(secret in str(everything) for secret in secrets)
    assert (
        await signer.pool.fetchval("SELECT count(*) FROM connector_sign_ins WHERE connector_id = $1", connector_id) == 0
    )


async def test_the_address_asks_google_for_lasting_access(signer: Signer) -> None:
    address = urlsplit(await signer.start(await signer.connector()))
    asked = parse_qs(address.query)
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{signer.provider.url}/o/oauth2/v2/auth"
    assert asked["scope"] == [f"openid email {DRIVE_SCOPE}"]
    assert (asked["access_type"], asked["prompt"]) == (["offline"], ["consent"])
    assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == (
        ["code"],
        [CLIENT_ID],
        ["S256"],
    )
    assert len(asked["code_challenge"][0]) == 43
    assert len(asked["state"][0]) >= 32
    assert CLIENT_SECRET not in str(asked)
    stored = await signer.pool.fetch("SELECT encrypted_verifier FROM connector_sign_ins")
    assert all(row["encrypted_verifier"].startswith("gAAAA") for row in stored)


async def test_the_address_asks_microsoft_for_lasting_access(signer: Signer) -> None:
    address = urlsplit(await signer.start(await signer.connector("onedrive")))
    asked = parse_qs(address.query)
    assert address.path == "/organizations/oauth2/v2.0/authorize"
    assert asked["scope"] == ["openid email profile offline_access Files.Read.All Sites.Read.All"]
    assert asked["prompt"] == ["select_account"]


async def test_each_sign_in_has_its_own_state_and_challenge(signer: Signer) -> None:
    connector_id = await signer.connector()
    first, second = [parse_qs(urlsplit(await signer.start(connector_id)).query) for _ in range(2)]
    assert first["state"] != second["state"]
    assert first["code_challenge"] != second["code_challenge"]
    # Only the latest sign-in of a connector in a browser is valid.
    await signer.refused({"state": first["state"][0], "code": "x"}, connector_id, "expired")


async def test_a_state_is_good_once_and_for_ten_minutes(signer: Signer) -> None:
    connector_id = await signer.connector()
    await signer.refused({"state": "of nobody", "code": "x"}, connector_id, "Begin the sign-in again")
    used = await signer.consent(connector_id)
    await signer.page.call(COMPLETE, used, "rest")
    asked = len(signer.provider.forms)
    await signer.refused(used, connector_id, "completed before")
    late = await signer.consent(connector_id)
    await signer.pool.execute(
        "UPDATE connector_sign_ins SET expires_at = now() - interval '1 second' WHERE connector_id = $1", connector_id
    )
    await signer.refused(late, connector_id, "expired")
    assert len(signer.provider.forms) == asked


@pytest.mark.parametrize("whose", ["own", "foreign"])
async def test_another_browser_completes_nothing(signer: Signer, whose: str) -> None:
    connector_id = await signer.connector()
    answer = await signer.consent(connector_id)
    begun_in = signer.page
    signer.page = await signer.browser(signer.person if whose == "own" else await signer.new_user())
    await signer.refused(answer, connector_id, "another browser")
    signer.page = begun_in
    await signer.refused(answer, connector_id, "completed before")
    assert not signer.provider.forms


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_a_program_is_sent_to_the_page(signer: Signer, via: Transport) -> None:
    connector_id = await signer.connector()
    started = await signer.person.call(START, {"id": connector_id}, via)
    assert started["url"].endswith(f"/connectors/sign-in?connector={connector_id}")
    assert "expiresAt" not in started
    answer = await signer.consent(connector_id)
    with pytest.raises(PermissionDeniedError, match="browser"):
        await signer.person.call(COMPLETE, answer, via)
    assert (await signer.page.call(COMPLETE, answer, "rest"))["hasCredentials"]


@pytest.mark.parametrize("type_", CONFIGS)
async def test_what_a_person_or_a_provider_refuses_is_named(signer: Signer, type_: str) -> None:
    connector_id, title = await signer.connector(type_), PROVIDERS[type_]
    state = (await signer.consent(connector_id))["state"]
    await signer.refused({"state": state, "error": "access_denied"}, connector_id, f"not granted at {title}")
    state = (await signer.consent(connector_id))["state"]
    await signer.refused({"state": state, "error": "server\nerror"}, connector_id, "server error")
    state = (await signer.consent(connector_id))["state"]
    await signer.refused({"state": state}, connector_id, "without a reason")
    assert not signer.provider.forms
    state = (await signer.consent(connector_id))["state"]
    await signer.refused({"state": state, "code": "of somebody else"}, connector_id, "invalid_grant")


async def test_the_code_of_another_sign_in_is_refused(signer: Signer) -> None:
    first, second = await signer.connector(), await signer.connector()
    code = (await signer.consent(first))["code"]
    state = (await signer.consent(second))["state"]
    await signer.refused({"state": state, "code": code}, second, "invalid_grant")


async def test_a_provider_that_is_out_of_order_is_not_a_refusal(signer: Signer) -> None:
    connector_id = await signer.connector()
    signer.provider.status = 503
    await signer.refused(await signer.consent(connector_id), connector_id, "does not answer at present")


@pytest.mark.parametrize(
    ("type_", "overrides", "match"),
    [
        ("google_drive", {"scope": "openid email"}, "drive.readonly"),
        ("onedrive", {"scope": "openid email Files.Read.All"}, r"needs: Sites\.Read\.All\."),
        ("google_drive", {"refresh_token": None}, "no lasting access"),
    ],
)
async def test_an_answer_that_lacks_something_is_refused(
    signer: Signer, type_: str, overrides: dict[str, Any], match: str
) -> None:
    connector_id = await signer.connector(type_)
    signer.provider.overrides = overrides
    await signer.refused(await signer.consent(connector_id), connector_id, match)


async def test_scopes_may_be_named_in_full(signer: Signer) -> None:
    connector_id = await signer.connector("onedrive")
    full = " ".join(f"https://graph.microsoft.com/{name}.Read.All" for name in ("Files", "Sites"))
    signer.provider.overrides = {"scope": full}
    assert (await signer.sign_in(connector_id))["hasCredentials"]


async def test_an_account_without_a_name_may_be_another_one(signer: Signer) -> None:
    connector_id = await signer.connector("onedrive")
    signer.provider.overrides = {"id_token": "of.no.use"}
    assert (await signer.sign_in(connector_id))["connectedAccount"] == "OneDrive and SharePoint"
    await signer.pool.execute("UPDATE connectors SET state = '{\"cursor\": 1}' WHERE id = $1", connector_id)
    await signer.sign_in(connector_id)
    assert (await signer.row(connector_id))["state"] == {}


async def test_an_account_without_an_address_has_its_sign_in_name(signer: Signer) -> None:
    signer.provider.overrides = {"id_token": unsigned({"preferred_username": "kim@contoso.example", "name": "Kim"})}
    shown = await signer.sign_in(await signer.connector("onedrive"))
    assert shown["connectedAccount"] == "kim@contoso.example"


@pytest.mark.parametrize("during_exchange", [False, True])
@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("deleted_date = now(), encrypted_credentials = NULL", NotFoundError),
        ("user_id = 1", NotFoundError),
        ("user_id = 1, scope = 'group', scope_id = 'signers'", PermissionDeniedError),
    ],
)
async def test_what_changed_hands_meanwhile_is_not_connected(
    signer: Signer, change: str, error: type[Exception], during_exchange: bool
) -> None:
    connector_id = await signer.connector()
    answer = await signer.consent(connector_id)

    async def take() -> None:
        await signer.pool.execute(f"UPDATE connectors SET {change} WHERE id = $1", connector_id)

    if during_exchange:
        signer.provider.answering = take
    else:
        await take()
    with pytest.raises(error):
        await signer.page.call(COMPLETE, answer, "rest")
    assert len(signer.provider.forms) == during_exchange
    row = await signer.row(connector_id)
    assert (row["encrypted_credentials"], row["connected_account"]) == (None, None)


UPDATE, TEST = "ConnectorService/UpdateConnector", "ConnectorService/TestConnector"
SETTINGS: dict[str, dict[str, Any]] = {
    "config": {"config": {"sites": ["https://contoso.sharepoint.com/sites/board"]}},
    "permission_mode": {"permissionMode": "PERMISSION_MODE_SCOPE"},
    "scope": {"scope": "SCOPE_ORG"},
}


async def shared(signer: Signer, **values: Any) -> int:
    """Returns a connector of a group that the person has signed in for."""
    site = "https://contoso.sharepoint.com/sites/hr"
    given = {"scope": "group", "scope_id": "signers", "permission_mode": "source", "config": {"sites": [site]}}
    signer.person = await signer.new_user(groups=("signers",), role="admin")
    signer.page = await signer.browser(signer.person)
    return await signer.connector("onedrive", **given | values)


async def change(caller: Client, connector_id: int, values: dict[str, Any]) -> dict[str, Any]:
    return await caller.call(UPDATE, {"id": connector_id, "connector": values, "updateMask": ",".join(values)}, "rest")


@for_each("field", SETTINGS)
async def test_a_sign_in_is_not_for_what_somebody_else_sets(signer: Signer, field: str) -> None:
    connector_id = await shared(signer)
    shown = await signer.sign_in(connector_id)
    assert shown["signedInBy"] == signer.person.user_id
    assert shown["signedInByName"]
    await rows.connector_sync(signer.pool, connector_id=connector_id, status="running")
    other = await signer.new_user(groups=("signers",), role="superadmin")
    renamed = await change(other, connector_id, {"name": f"Renamed {connector_id}", "refreshFreqMinutes": 30})
    assert renamed["connectedAccount"] == "kim@example.org"
    changed = await change(other, connector_id, SETTINGS[field])
    assert not any(map(changed.get, ("hasCredentials", "connectedAccount", "signedInBy", "nextSyncAt")))
    assert (changed["status"], "sign in again" in changed["statusMessage"]) == ("CONNECTOR_STATUS_PENDING", True)
    row = await signer.row(connector_id)
    assert (row["encrypted_credentials"], row["signed_in_by"], row["next_sync_at"]) == (None, None, None)
    status = "SELECT status FROM connector_syncs WHERE connector_id = $1"
    assert await signer.pool.fetchval(status, connector_id) == "cancelled"


@for_each("field", ["config", "permission_mode"])
async def test_a_sign_in_is_for_what_its_person_sets(signer: Signer, field: str) -> None:
    connector_id = await shared(signer)
    await signer.sign_in(connector_id)
    changed = await change(signer.person, connector_id, SETTINGS[field])
    assert (changed["hasCredentials"], changed["signedInBy"]) == (True, signer.person.user_id)
    assert changed["nextSyncAt"]


async def test_a_sign_in_of_nobody_knows_whom_is_not_for_other_settings(signer: Signer) -> None:
    connector_id = await shared(signer)
    await signer.sign_in(connector_id)
    await signer.pool.execute("UPDATE connectors SET signed_in_by = NULL WHERE id = $1", connector_id)
    assert not (await change(signer.person, connector_id, SETTINGS["config"])).get("hasCredentials")


async def test_readers_do_not_see_who_signed_in(signer: Signer) -> None:
    connector_id = await shared(signer)
    await signer.sign_in(connector_id)
    reader = await signer.new_user(groups=("signers",))
    shown = await reader.call("ConnectorService/GetConnector", {"id": connector_id})
    assert shown["connectedAccount"] == "kim@example.org"
    assert not any(map(shown.get, ("signedInBy", "signedInByName")))


async def test_a_sign_in_tests_nothing_that_somebody_else_tries(signer: Signer) -> None:
    connector_id = await shared(signer)
    await signer.sign_in(connector_id)
    other = await signer.new_user(groups=("signers",), role="admin")
    for tried in (SETTINGS["config"], SETTINGS["permission_mode"]):
        with pytest.raises(ValidationFailedError, match="somebody else's sign-in"):
            await other.call(TEST, {"id": connector_id, **tried}, "rest")


@pytest.mark.parametrize("during_exchange", [False, True])
@pytest.mark.parametrize("field", SETTINGS)
async def test_what_was_set_differently_meanwhile_is_not_connected(
    signer: Signer, field: str, during_exchange: bool
) -> None:
    connector_id = await shared(signer)
    other = await signer.new_user(groups=("signers",), role="superadmin")
    answer = await signer.consent(connector_id)

    async def meanwhile() -> None:
        await change(other, connector_id, SETTINGS[field])

    if during_exchange:
        signer.provider.answering = meanwhile
    else:
        await meanwhile()
    with pytest.raises((SignInRefusedError, PermissionDeniedError)):
        await signer.page.call(COMPLETE, answer, "rest")
    assert len(signer.provider.forms) == during_exchange
    row = await signer.row(connector_id)
    assert (row["encrypted_credentials"], row["connected_account"]) == (None, None)


async def test_a_second_sign_in_replaces_the_first(signer: Signer) -> None:
    connector_id = await signer.connector()
    await signer.sign_in(connector_id)
    await signer.pool.execute("UPDATE connectors SET state = '{\"cursor\": 1}' WHERE id = $1", connector_id)
    await signer.sign_in(connector_id)
    assert (await signer.grant(connector_id))["refresh_token"] == "refresh-token-1"
    assert (await signer.row(connector_id))["state"] == {"cursor": 1}  # the same account sees the same documents
    signer.provider.account = "lee@example.org"
    await rows.connector_sync(signer.pool, connector_id=connector_id, status="running")
    assert (await signer.sign_in(connector_id))["connectedAccount"] == "lee@example.org"
    assert (await signer.grant(connector_id))["refresh_token"] == "refresh-token-2"
    assert (await signer.row(connector_id))["state"] == {}
    status = "SELECT status FROM connector_syncs WHERE connector_id = $1"
    assert await signer.pool.fetchval(status, connector_id) == "cancelled"

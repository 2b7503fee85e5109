"""Sign-ins at a provider: stored credentials, and permission to complete them."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
import pytest_asyncio
from pydantic import SecretStr

from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.errors import NotFoundError, PermissionDeniedError, SignInRefusedError
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.sign_in_provider import CLIENT_ID, CLIENT_SECRET, SignInProvider, sign_in_provider, unsigned
from tests.factories import rows

START, COMPLETE = "ConnectorService/StartConnectorSignIn", "ConnectorService/CompleteConnectorSignIn"
DRIVE_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
CONFIGS: dict[str, dict[str, Any]] = {"google_drive": {"my_drive": True}, "onedrive": {}}
PROVIDERS = {"google_drive": "Google", "onedrive": "Microsoft"}


@dataclass
class Signer:
    """Somebody with a connector, in a browser."""

    gateway: Gateway
    owner: Client
    anonymous: Client
    new_user: NewUser
    provider: SignInProvider
    pool: asyncpg.Pool
    person: Client
    page: Client

    async def browser(self, person: Client) -> Client:
        """Another browser that somebody is signed in with."""
        path = (await self.owner.call("AuthService/CreateSignInLink", {"userId": person.user_id}))["path"]
        token = await self.gateway.parts.sessions.begin_by_link(path.partition("=")[2], Browser("127.0.0.1"))
        return self.anonymous.browser(token, person.user_id)

    async def connector(self, type_: str = "google_drive", **values: Any) -> int:
        """Returns a connector of theirs without credentials."""
        given = {"user_id": self.person.user_id, "type": type_, "config": CONFIGS[type_], "status": "pending"}
        row = await rows.connector(self.pool, **given | values)
        return int(row["id"])

    async def start(self, connector_id: int) -> str:
        return str((await self.page.call(START, {"id": connector_id}, "rest"))["url"])

    async def consent(self, connector_id: int) -> dict[str, str]:
        """Begins a sign-in and accepts at the provider."""
        return await self.provider.consent(await self.start(connector_id))

    async def sign_in(self, connector_id: int) -> dict[str, Any]:
        return await self.page.call(COMPLETE, await self.consent(connector_id), "rest")

    async def row(self, connector_id: int) -> asyncpg.Record:
        found = await self.pool.fetchrow("SELECT * FROM connectors WHERE id = $1", connector_id)
        assert found
        return found

    async def refused(self, answer: dict[str, str], connector_id: int, match: str = "") -> None:
        """Sends what a provider has answered, which is refused and changes nothing."""
        before = await self.row(connector_id)
        with pytest.raises(SignInRefusedError, match=match) as caught:
            await self.page.call(COMPLETE, answer, "rest")
        assert await self.row(connector_id) == before
        assert not any(secret in str(caught.value) for secret in (CLIENT_SECRET, *self.provider.issued))

    async def grant(self, connector_id: int) -> dict[str, Any]:
        """Returns what is stored of the last sign-in, decrypted."""
        encrypted = (await self.row(connector_id))["encrypted_credentials"]
        assert not any(token in encrypted for token in self.provider.issued)
        found: dict[str, Any] = json.loads(self.gateway.parts.dependencies.secrets.decrypt(encrypted))["oauth"]
        return found


@pytest_asyncio.fixture(loop_scope="session")
async def provider(api_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SignInProvider]:
    async with sign_in_provider() as provider:
        for name, value in {
            "google_client_id": CLIENT_ID,
            "google_client_secret": SecretStr(CLIENT_SECRET),
            "google_accounts_url": provider.url,
            "google_token_url": f"{provider.url}/token",
            "microsoft_client_id": CLIENT_ID,
            "microsoft_client_secret": SecretStr(CLIENT_SECRET),
            "microsoft_login_url": provider.url,
        }.items():
            monkeypatch.setattr(api_settings.connectors, name, value)
        yield provider


@pytest_asyncio.fixture(loop_scope="session")
async def signer(
    gateway: Gateway,
    owner: Client,
    anonymous: Client,
    new_user: NewUser,
    provider: SignInProvider,
    pool: asyncpg.Pool,
) -> Signer:
    person = await new_user(groups=("signers",))
    signer = Signer(gateway, owner, anonymous, new_user, provider, pool, person, person)
    signer.page = await signer.browser(person)
    return signer


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

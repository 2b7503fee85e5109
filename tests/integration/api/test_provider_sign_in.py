"""Sign-in at OpenID providers: the way through the browser, accounts, and every forgery that must fail."""

import re
import time
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from joserfc import jwt
from pydantic import SecretStr

from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.errors import UnauthenticatedError, ValidationFailedError
from tests.drivers.browser import browser_of
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider, query_of, rsa_key
from tests.drivers.scim import scim_caller
from tests.drivers.visitor import Visitor
from tests.factories import rows
from tests.factories.world import name


def settings_of(provider: OpenIdProvider, **changes: Any) -> ProviderSettings:
    secret = SecretStr(CLIENT_SECRET)
    given: dict[str, Any] = {
        "title": "Example <ID>",
        "issuer": provider.url,
        "client_id": CLIENT_ID,
        "client_secret": secret,
    }
    return ProviderSettings(**given | changes)


@pytest_asyncio.fixture(loop_scope="session")
async def provider() -> AsyncIterator[OpenIdProvider]:
    async with openid_provider() as provider:
        provider.person |= {"sub": name(), "email": f"{name()}@example.org", "preferred_username": name()}
        yield provider


@pytest.fixture
def configure(api_settings: Settings, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the provider `main` up, with changes of its settings."""

    def change(**changes: Any) -> None:
        monkeypatch.setitem(api_settings.auth.providers, "main", settings_of(provider, **changes))

    change()
    return change


@pytest.fixture
def visitor(anonymous: Client, provider: OpenIdProvider, configure: Any, gateway: Gateway) -> Visitor:
    return Visitor(anonymous, provider)


async def refused(visitor: Visitor, pool: asyncpg.Pool, words: str, status: int = 401) -> str:
    """Signs in, which is refused and makes no account and no session; returns the page."""
    count = "SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM web_sessions)"
    before = await pool.fetchrow(count)
    response = await visitor.sign_in()
    page = await response.text()
    assert response.status == status, page
    assert words in page
    assert not any(name.startswith("echomind_session") for name in response.cookies)
    assert await pool.fetchrow(count) == before
    return page


async def test_a_first_sign_in_creates_an_account(visitor: Visitor, pool: asyncpg.Pool) -> None:
    visitor.provider.person |= {"given_name": "Kim", "family_name": "Öz", "locale": "de-DE"}
    visitor.provider.claims = {"at_hash": visitor.provider.half_hash("an access token")}
    options = await visitor.client.call("AuthService/GetSignInOptions")
    assert {"name": "main", "title": "Example <ID>"} in options["providers"]
    response = await visitor.sign_in("/documents?q=1")
    assert response.status == 200, await response.text()
    # The session cookie is Strict, so the page must lead on by itself.
    page = await response.text()
    assert '<meta http-equiv="refresh" content="0; url=/documents?q=1">' in page
    assert "<script" not in page
    assert response.headers["Cache-Control"] == "no-store"
    cookie = response.cookies[visitor.client.cookie_name]
    assert (cookie["samesite"].lower(), bool(cookie["httponly"])) == ("strict", True)
    me = await visitor.me(response)
    person = visitor.provider.person
    assert (me["userName"], me["email"], me["isEmailVerified"]) == (person["preferred_username"], person["email"], True)
    assert (me["firstName"], me["lastName"], me["roles"]) == ("Kim", "Öz", ["ROLE_USER"])
    assert me["preferences"]["language"] == "LANGUAGE_DE"
    assert me["lastLogin"]
    assert visitor.provider.scopes == ["openid", "profile", "email"]
    hours = "SELECT extract(epoch FROM expires_at - now()) / 3600 FROM web_sessions WHERE user_id = $1"
    assert 11 < float(await pool.fetchval(hours, me["id"])) <= 12
    audited = await pool.fetchrow("SELECT * FROM audit_log WHERE target = $1", f"users/{me['id']}")
    assert audited is not None
    assert (audited["action"], audited["actor_id"]) == ("Sign-in/Provider", me["id"])


async def test_later_sign_ins_find_the_account_by_its_subject_and_update_it(visitor: Visitor) -> None:
    first = await visitor.me(await visitor.sign_in())
    changed = f"{name()}@example.org"
    visitor.provider.person |= {"email": changed, "given_name": "Kim", "preferred_username": "another"}
    second = await visitor.me(await visitor.sign_in())
    assert second["id"] == first["id"]
    assert (second["email"], second["isEmailVerified"], second["firstName"]) == (changed, True, "Kim")
    assert second["userName"] == first["userName"]
    visitor.provider.person |= {
        "sub": name(),
        "email": f"{name()}@example.org",
        "preferred_username": first["userName"],
    }
    third = await visitor.me(await visitor.sign_in())
    assert third["id"] != first["id"]
    assert third["userName"] == f"{first['userName']}-2"


async def test_the_way_there_is_bound_to_the_browser_and_the_secret_is_kept(
    visitor: Visitor, pool: asyncpg.Pool
) -> None:
    response = await visitor.get(f"{visitor.client.http_url}/auth/oidc/main")
    asked = query_of(response.headers["Location"])
    cookie = visitor.attempt_cookie(response)
    assert (cookie["samesite"].lower(), bool(cookie["httponly"]), cookie["max-age"]) == ("lax", True, "600")
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == f"{visitor.client.http_url}/auth/oidc/main/callback"
    assert CLIENT_SECRET not in str(asked)
    stored = str(await pool.fetch("SELECT t::text FROM sign_in_attempts t"))
    assert not any(text in stored for text in (asked["state"], cookie.value))
    assert "gAAAA" in stored


@pytest.mark.parametrize(
    "path", ["//evil.example", "/%5Cevil.example", "https://evil.example", "/a%0Ab", "evil", "/%09/evil.example"]
)
async def test_a_sign_in_returns_to_this_server_alone(visitor: Visitor, path: str) -> None:
    response = await visitor.sign_in(path)
    assert 'content="0; url=/">' in await response.text()


async def test_a_state_works_once_in_its_browser_for_its_provider(
    visitor: Visitor, pool: asyncpg.Pool, configure: Any, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = "has expired, was completed before"
    back = await visitor.provider.consent(await visitor.begin())
    assert (await visitor.get(back)).status == 200
    again = await visitor.get(back)
    assert (again.status, over in await again.text()) == (401, True)
    # Another browser.
    back = await visitor.provider.consent(await visitor.begin())
    other = Visitor(visitor.client, visitor.provider)
    for cookies in ({}, dict.fromkeys(visitor.cookies, "x" * 43)):
        other.cookies = cookies
        assert (await other.get(back)).status == 401
    assert (await visitor.get(back)).status == 401  # it was used up
    # Too late.
    back = await visitor.provider.consent(await visitor.begin())
    await pool.execute("UPDATE sign_in_attempts SET expires_at = now() - interval '1 second'")
    assert (await visitor.get(back)).status == 401
    # At the callback of another provider.
    async with openid_provider() as second:
        monkeypatch.setitem(api_settings.auth.providers, "second", settings_of(second))
        back = await visitor.provider.consent(await visitor.begin())
        assert (await visitor.get(back.replace("/oidc/main/", "/oidc/second/"))).status == 401
        assert "/token" not in second.asked


NOW = int(time.time())
FORGED: dict[str, dict[str, Any]] = {
    "of another client": {"aud": "another"},
    "of another client, with our azp": {"aud": "another", "azp": CLIENT_ID},
    "for another party": {"azp": "another"},
    "for several parties without azp": {"aud": [CLIENT_ID, "another"]},
    "of another issuer": {"iss": "https://evil.example"},
    "without issuer": {"iss": None},
    "without subject": {"sub": None},
    "with an empty subject": {"sub": ""},
    "with a number as subject": {"sub": 1},
    "with a long subject": {"sub": "x" * 256},
    "with another nonce": {"nonce": "another"},
    "without nonce": {"nonce": None},
    "expired": {"exp": NOW - 60},
    "without end": {"exp": None},
    "with an end as text": {"exp": str(NOW + 300)},
    "issued a year ago": {"iat": NOW - 365 * 86_400},
    "issued in the future": {"iat": NOW + 3600},
    "without time": {"iat": None},
    "not valid yet": {"nbf": NOW + 3600},
    "for another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
}


@pytest.mark.parametrize("claims", FORGED.values(), ids=FORGED)
async def test_a_token_with_a_wrong_claim_is_refused(
    visitor: Visitor, pool: asyncpg.Pool, claims: dict[str, Any]
) -> None:
    visitor.provider.claims = claims
    await refused(visitor, pool, "does not prove who you are")


@pytest.mark.parametrize("how", ["unsigned", "public key as secret", "another's key", "another algorithm", "no JWT"])
async def test_a_token_with_a_wrong_signature_is_refused(visitor: Visitor, pool: asyncpg.Pool, how: str) -> None:
    provider = visitor.provider
    provider.forged = {
        "unsigned": provider.unsigned,
        "public key as secret": provider.with_public_key,
        "another's key": lambda claims: jwt.encode(
            {"alg": "RS256", "kid": "first"}, claims, rsa_key("of a forger"), algorithms=["RS256"]
        ),
        "another algorithm": lambda claims: provider.signed(claims, algorithm="RS384"),
        "no JWT": lambda _: "of.no.use",
    }[how]
    await refused(visitor, pool, "does not prove who you are")


async def test_an_answer_without_an_id_token_is_refused(visitor: Visitor, pool: asyncpg.Pool) -> None:
    visitor.provider.answer = {"id_token": None}
    await refused(visitor, pool, "does not prove who you are")


@pytest.mark.parametrize(
    "document", [{"issuer": "https://evil.example"}, {"issuer": None}, {"token_endpoint": "http://evil.example/token"}]
)
async def test_a_document_of_another_issuer_or_without_tls_is_refused(
    visitor: Visitor, document: dict[str, Any]
) -> None:
    visitor.provider.document = document
    response = await visitor.get(f"{visitor.client.http_url}/auth/oidc/main")
    assert response.status == 502
    assert "does not answer at present" in await response.text()


@pytest.mark.parametrize("address", ["http://169.254.169.254", "https://[::ffff:169.254.169.254]"])
async def test_no_request_goes_to_a_metadata_address(visitor: Visitor, address: str) -> None:
    visitor.provider.document = {"jwks_uri": f"{address}/keys", "authorization_response_iss_parameter_supported": False}
    back = visitor.provider.consent
    response = await visitor.get(f"{visitor.client.http_url}/auth/oidc/main")
    if response.status == 303:
        response = await visitor.get(await back(response.headers["Location"]))
    assert response.status == 502


@pytest.mark.parametrize("brings", [{"iss": "https://evil.example"}, {}])
async def test_an_answer_of_another_issuer_is_refused(
    visitor: Visitor, pool: asyncpg.Pool, brings: dict[str, str]
) -> None:
    visitor.provider.brings = brings
    visitor.provider.document = {"authorization_response_iss_parameter_supported": True}
    await refused(visitor, pool, "does not prove who you are")
    visitor.provider.brings = {"iss": visitor.provider.url}
    assert (await visitor.sign_in()).status == 200


async def test_a_rotated_key_is_read_and_unknown_ones_seldom(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = visitor.provider
    assert (await visitor.sign_in()).status == 200
    provider.kid = "second"
    assert (await visitor.sign_in()).status == 401  # the keys were read a moment ago
    assert (await visitor.sign_in()).status == 401
    assert provider.asked.count("/jwks") == 1
    monkeypatch.setattr("echomind_lib.identity.provider._AGAIN_SECONDS", 0.0)
    assert (await visitor.sign_in()).status == 200
    assert provider.asked.count("/jwks") == 2


async def test_what_the_person_or_the_provider_refuses(visitor: Visitor, pool: asyncpg.Pool) -> None:
    visitor.provider.brings = {"error": "access_denied"}
    page = await refused(visitor, pool, "did not complete the sign-in")
    assert "Example &lt;ID&gt;" in page
    visitor.provider.brings = {}
    visitor.provider.status = 503
    await refused(visitor, pool, "does not answer at present", 502)
    assert "/token" in visitor.provider.asked


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


async def test_a_deactivated_account_stays_outside(visitor: Visitor, pool: asyncpg.Pool, owner: Client) -> None:
    response = await visitor.sign_in()
    me = await visitor.me(response)
    change = {"id": me["id"], "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    with pytest.raises(UnauthenticatedError):
        await visitor.me(response)
    await refused(visitor, pool, "deactivated")


async def test_keys_stop_when_their_owner_has_not_signed_in_for_30_days(
    visitor: Visitor, pool: asyncpg.Pool, new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    browser = browser_of(visitor.client, response := await visitor.sign_in())
    me = await visitor.me(response)
    made = await browser.call("ApiKeyService/CreateApiKey", {"name": name()}, via="rest")
    program, local = visitor.client.as_(made["secret"], me["id"]), await new_user()
    for days, works in ((29, True), (31, False)):
        ago = "UPDATE users SET last_login = now() - make_interval(days => $2) WHERE id = $1"
        for user_id in (me["id"], local.user_id):
            await pool.execute(ago, int(user_id), days)
            gateway.parts.dependencies.principals.forget(int(user_id))
        await local.call("UserService/GetCurrentUser", {}, via)  # nobody vouches for local accounts
        if works:
            await program.call("UserService/GetCurrentUser", {}, via)
        else:
            with pytest.raises(UnauthenticatedError, match="has not signed in for 30 days"):
                await program.call("UserService/GetCurrentUser", {}, via)
    # A SCIM client says who leaves, for as long as it has a valid token.
    token = await rows.scim_token(pool)
    await rows.scim_user(pool, user_id=int(me["id"]), client_id=token["client_id"])
    gateway.parts.dependencies.principals.forget(int(me["id"]))
    await program.call("UserService/GetCurrentUser", {}, via)
    await pool.execute("UPDATE scim_tokens SET expires_at = now() WHERE id = $1", token["id"])
    gateway.parts.dependencies.principals.forget(int(me["id"]))
    with pytest.raises(UnauthenticatedError, match="has not signed in for 30 days"):
        await program.call("UserService/GetCurrentUser", {}, via)
    await visitor.sign_in()
    await program.call("UserService/GetCurrentUser", {}, via)


async def test_a_password_does_not_outlive_the_removal_of_its_person(
    visitor: Visitor, pool: asyncpg.Pool, owner: Client, new_user: NewUser, via: Transport
) -> None:
    me = await visitor.me(await visitor.sign_in())
    local = await new_user()
    kept = "SELECT user_id FROM credentials WHERE user_id = ANY ($1)"
    ids = [int(me["id"]), local.user_id]
    for user_id in ids:
        await pool.execute("INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x')", user_id)
        for is_active in (False, True):
            change = {"id": user_id, "user": {"isActive": is_active}, "updateMask": "isActive"}
            await owner.call("UserService/UpdateUser", change, via)
    assert [row["user_id"] for row in await pool.fetch(kept, ids)] == [local.user_id]


@pytest_asyncio.fixture
async def nobody_else_is_superadmin(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Takes the role from all who have it, and gives it back."""
    taken = await pool.fetch(
        "UPDATE users SET roles = array_remove(roles, 'superadmin') WHERE 'superadmin' = ANY (roles) RETURNING id"
    )
    ids = [row["id"] for row in taken]
    yield
    await pool.execute("UPDATE users SET roles = array_append(roles, 'superadmin') WHERE id = ANY ($1)", ids)


async def test_the_last_superadmin_keeps_the_role(
    visitor: Visitor, pool: asyncpg.Pool, configure: Any, nobody_else_is_superadmin: None
) -> None:
    configure(roles={"p-top": "superadmin"})
    other = await rows.user(pool, user_name=(made := name()), email=f"{made}@example.org")
    visitor.provider.person["groups"] = ["p-top"]
    me = await visitor.me(await visitor.sign_in())
    assert "ROLE_SUPERADMIN" in me["roles"]
    visitor.provider.person["groups"] = []
    assert "ROLE_SUPERADMIN" in (await visitor.me(await visitor.sign_in()))["roles"]
    kept = "SELECT count(*) FROM audit_log WHERE target = $1 AND detail ? 'roles_kept_for_the_last_superadmin'"
    assert await pool.fetchval(kept, f"users/{me['id']}") == 1
    # Another one has the role, and no way to sign in.
    await pool.execute("UPDATE users SET roles = array_append(roles, 'superadmin') WHERE id = $1", other["id"])
    assert "ROLE_SUPERADMIN" in (await visitor.me(await visitor.sign_in()))["roles"]
    await pool.execute("INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x')", other["id"])
    assert (await visitor.me(await visitor.sign_in()))["roles"] == ["ROLE_USER"]


async def test_signing_out_leads_to_the_provider(visitor: Visitor) -> None:
    response = await visitor.sign_in()
    browser = browser_of(visitor.client, response)
    url = f"{visitor.client.http_url}/auth/sign-out"
    async with visitor.client.session.post(url, headers=browser.headers) as ended:
        leads = (await ended.json())["providerUrl"]
    assert leads.startswith(f"{visitor.provider.url}/end-session?")
    assert query_of(leads) == {
        "client_id": CLIENT_ID,
        "post_logout_redirect_uri": f"{visitor.client.http_url}/",
    }
    with pytest.raises(UnauthenticatedError):
        await visitor.me(response)


async def test_a_sign_in_ends_the_browsers_earlier_session(visitor: Visitor) -> None:
    first = await visitor.sign_in()
    earlier = browser_of(visitor.client, first)
    visitor.provider.person |= {"sub": name(), "email": f"{name()}@example.org"}
    begun = await visitor.begin()
    # The provider sends the browser back without the session cookie, which is Strict.
    visitor.cookies = {key: value for key, value in visitor.cookies.items() if "session" not in key}
    assert (await visitor.get(await visitor.provider.consent(begun))).status == 200
    with pytest.raises(UnauthenticatedError):
        await earlier.call("UserService/GetCurrentUser", via="rest")


async def test_an_unknown_provider(visitor: Visitor) -> None:
    for path in ("nobody", "nobody/callback"):
        assert (await visitor.get(f"{visitor.client.http_url}/auth/oidc/{path}")).status == 404


async def test_pages_in_german(visitor: Visitor) -> None:
    headers = {"Accept-Language": "de"}
    address = f"{visitor.client.http_url}/auth/oidc/main/callback?state=x&code=y"
    async with visitor.client.session.get(address, headers=headers) as response:
        page = await response.text()
    assert "Sie sind nicht angemeldet" in page
    assert re.search(r"Content-Security-Policy", str(response.headers))

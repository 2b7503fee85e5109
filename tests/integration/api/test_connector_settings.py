"""Settings and credentials of connectors: validation, and fields that are never returned."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, cast
from uuid import uuid4

import asyncpg
import msgspec
import pytest
from msgspec import Meta

from echomind_api.main import Gateway
from echomind_ingestor.pipeline.scopes import ConnectorScopes
from echomind_lib.config import Settings
from echomind_lib.connectors import ConnectorDefinition, PermissionMode, SettingsError, registry
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.errors import (
    ConnectorStateError,
    ConnectorTypeUnavailableError,
    DependencyUnavailableError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import Job
from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser


class WikiSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A wiki."""

    address: Annotated[str, Meta(title="Address", description="Where it is.", examples=["https://wiki.example"])]
    spaces: Annotated[tuple[str, ...], Meta(max_length=3)] = ()
    depth: Annotated[int, Meta(ge=0, le=5)] = 2
    order: str = "name"


class Token(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A token with its user."""

    user: Annotated[str, Meta(extra={"kind": "text"})]
    token: str


class WikiCredentials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A token, or a sign-in."""

    token: Token | None = None
    oauth: OAuthGrant | None = None

    def __post_init__(self) -> None:
        """Takes exactly one."""
        if (self.token is None) == (self.oauth is None):
            raise ValueError("Give a token, or sign in")


def check_access(settings: WikiSettings, credentials: WikiCredentials | None, mode: PermissionMode) -> None:
    """Refuses the deepest pages to readers who are not known, and single spaces to people who sign in."""
    if settings.depth == 5 and mode != "source":
        raise SettingsError("config.depth", "is for the permission mode source alone")
    if settings.spaces and credentials is not None and credentials.token is None:
        raise SettingsError("config.spaces", "need a token")


WIKI = ConnectorDefinition(
    name="acme_wiki",
    title="Acme Wiki",
    description="Pages of a wiki.",
    settings=WikiSettings,
    credentials=WikiCredentials,
    sign_in="google",
    sign_in_scopes=("https://example.org/auth/wiki.readonly",),
    permission_modes=("source", "scope"),
    check_access=check_access,
)
CREDENTIALS = {"token": {"user": "kim", "token": "hush-hush"}}
CONFIG = {"address": "https://wiki.example/a"}


@pytest.fixture(autouse=True)
def wiki(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A type of another package."""
    known = dict(registry.definitions())
    registry.definitions.cache_clear()
    with monkeypatch.context() as patched:
        found = {**known, WIKI.name: WIKI}
        patched.setattr(registry, "definitions", lambda: found)
        for module in ("connector_types", "connector_settings"):
            patched.setattr(f"echomind_api.sources.{module}.definitions", lambda: found)
        yield


def made_of(**fields: Any) -> dict[str, Any]:
    return {"connector": {"name": uuid4().hex, "typeName": "acme_wiki", "config": CONFIG} | fields}


async def test_types_describe_their_forms(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    listed = (await somebody.call("ConnectorService/ListConnectorTypes", {}, via))["types"]
    types = {each["name"]: each for each in listed}
    wiki = types["acme_wiki"]
    fields = {field["name"]: field for field in wiki["settings"]}
    assert fields["address"]["required"]
    assert (fields["address"]["kind"], fields["address"]["example"]) == ("SETTING_KIND_TEXT", "https://wiki.example")
    assert (fields["spaces"]["kind"], fields["spaces"]["maximum"]) == ("SETTING_KIND_LIST", 3)
    assert (fields["depth"]["minimum"], fields["depth"]["maximum"], fields["depth"]["defaultValue"]) == (0, 5, 2)
    assert [field["name"] for field in wiki["credentials"]] == ["token"]
    kinds = {field["name"]: field["kind"] for field in wiki["credentials"][0]["fields"]}
    assert kinds == {"user": "SETTING_KIND_TEXT", "token": "SETTING_KIND_SECRET"}
    assert wiki["permissionModes"] == ["PERMISSION_MODE_SOURCE", "PERMISSION_MODE_SCOPE"]
    assert (wiki["signIn"], wiki.get("signInConfigured", False)) == ("google", False)
    assert types["file"]["syncedBy"] == "folder"
    assert types["file"]["type"] == "CONNECTOR_TYPE_FILE"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"config": {}}, "connector.config.address"),
        ({"config": CONFIG | {"colour": "red"}}, "connector.config.colour"),
        ({"config": CONFIG | {"depth": 6}}, "connector.config.depth"),
        ({"config": CONFIG | {"depth": "deep"}}, "connector.config.depth"),
        ({"config": CONFIG | {"depth": 5}, "permissionMode": "PERMISSION_MODE_SCOPE"}, "connector.config.depth"),
        ({"config": CONFIG | {"spaces": ["a", "b", "c", "d"]}}, "connector.config.spaces"),
        ({"credentials": {"token": {"user": "kim"}}}, "connector.credentials.token.token"),
        ({"credentials": {"password": "hush-hush"}}, "connector.credentials.password"),
        ({"credentials": {"oauth": {"refresh_token": "hush-hush"}}}, "connector.credentials.oauth"),
        ({"type": "CONNECTOR_TYPE_WEB"}, "connector.type_name"),
        ({"typeName": ""}, "connector.type"),
        ({"typeName": "file", "config": {}, "refreshFreqMinutes": 5}, "connector.refresh_freq_minutes"),
        ({"typeName": "file", "config": {}, "credentials": {"token": "hush-hush"}}, "connector.credentials"),
        (
            {"typeName": "file", "config": {}, "permissionMode": "PERMISSION_MODE_SOURCE"},
            "connector.permission_mode",
        ),
    ],
)
async def test_settings_that_would_be_ignored_are_rejected(
    new_user: NewUser, via: Transport, fields: dict[str, Any], field: str
) -> None:
    somebody = await new_user()
    with pytest.raises(ValidationFailedError) as caught:
        await somebody.call("ConnectorService/CreateConnector", made_of(**fields), via)
    assert list(caught.value.metadata) == [field]
    assert "hush-hush" not in str(caught.value)


async def test_types_that_are_not_installed_and_settings_of_superadmins(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    with pytest.raises(ConnectorTypeUnavailableError, match="Installed: "):
        await somebody.call("ConnectorService/CreateConnector", made_of(typeName="nowhere"), via)
    folder = made_of(typeName="file", config={"folder": "/srv/files"})
    with pytest.raises(PermissionDeniedError, match="superadmin"):
        await somebody.call("ConnectorService/CreateConnector", folder, via)
    uploads = await somebody.call("ConnectorService/CreateConnector", made_of(typeName="file", config={}), via)
    change = {"id": uploads["id"], "connector": {"config": {"folder": "/srv"}}, "updateMask": "config"}
    with pytest.raises(PermissionDeniedError, match="superadmin"):
        await somebody.call("ConnectorService/UpdateConnector", change, via)


async def test_a_folder_that_the_server_does_not_allow_is_refused(
    new_user: NewUser, api_settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, via: Transport
) -> None:
    boss = await new_user("superadmin")

    async def refused(folder: str) -> None:
        with pytest.raises(ValidationFailedError, match="ECHOMIND_CONNECTORS__FOLDERS") as caught:
            await boss.call(
                "ConnectorService/CreateConnector", made_of(typeName="file", config={"folder": folder}), via
            )
        assert list(caught.value.metadata) == ["connector.config.folder"]

    await refused("/srv/files")  # no folder is allowed
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setattr(api_settings.connectors, "folders", f"/srv/allowed, {tmp_path}/link")
    for folder in ("/srv/allowed2", "/srv/allowed/../secret", "/etc", str(tmp_path.parent)):
        await refused(folder)
    # Symbolic links on this machine are resolved; the ingestor checks its own.
    for folder in (str(tmp_path / "books"), f"{tmp_path}/link/books"):
        await boss.call("ConnectorService/CreateConnector", made_of(typeName="file", config={"folder": folder}), via)
    made = made_of(typeName="file", config={"folder": "/srv/allowed/books"}, refreshFreqMinutes=5)
    connector = await boss.call("ConnectorService/CreateConnector", made, via)
    change = {"id": connector["id"], "connector": {"config": {"folder": "/etc"}}, "updateMask": "config"}
    with pytest.raises(ValidationFailedError, match="ECHOMIND_CONNECTORS__FOLDERS"):
        await boss.call("ConnectorService/UpdateConnector", change, via)
    # Stored values are accepted after the setting has changed.
    monkeypatch.setattr(api_settings.connectors, "folders", "")
    same = {"name": "Books " + via, "config": {"folder": "/srv/allowed/books"}}
    await boss.call(
        "ConnectorService/UpdateConnector", {"id": connector["id"], "connector": same, "updateMask": "name,config"}, via
    )


async def test_credentials_are_stored_encrypted_and_never_returned(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", made_of(), via)
    assert (made["typeName"], made["permissionMode"]) == ("acme_wiki", "PERMISSION_MODE_SOURCE")
    assert not made.get("hasCredentials")
    assert "sign in" in made["statusMessage"]
    assert not made.get("nextSyncAt")
    change = {"id": made["id"], "connector": {"credentials": CREDENTIALS}, "updateMask": "credentials"}
    changed = await somebody.call("ConnectorService/UpdateConnector", change, via)
    assert changed["hasCredentials"]
    assert changed["nextSyncAt"]
    assert "hush-hush" not in str([changed, await somebody.call("ConnectorService/ListConnectors", {}, via)])
    query = "SELECT encrypted_credentials FROM connectors WHERE id = $1"
    stored = await pool.fetchval(query, made["id"])
    assert "hush-hush" not in stored
    assert "hush-hush" in gateway.parts.dependencies.secrets.decrypt(stored)
    assert "hush-hush" not in str(await pool.fetch("SELECT detail FROM audit_log ORDER BY id DESC LIMIT 9"))
    await somebody.call("ConnectorService/DeleteConnector", {"id": made["id"]}, via)
    assert await pool.fetchval(query, made["id"]) is None


async def test_another_place_needs_the_credentials_again(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", made_of(credentials=CREDENTIALS), via)
    await pool.execute("UPDATE connectors SET state = '{\"cursor\": 1}' WHERE id = $1", made["id"])

    async def change(address: str, **fields: Any) -> Any:
        connector = {"config": {"address": address}} | fields
        request = {"id": made["id"], "connector": connector, "updateMask": ",".join(connector)}
        return await somebody.call("ConnectorService/UpdateConnector", request, via)

    for address in ("https://evil.example/a", "http://wiki.example/a", "https://wiki.example:8443/a"):
        with pytest.raises(ValidationFailedError, match="given again"):
            await change(address)
        draft = {"id": made["id"], "config": {"address": address}}
        with pytest.raises(ValidationFailedError, match="given again"):
            await somebody.call("ConnectorService/TestConnector", draft, via)
    assert (await change("https://wiki.example/b"))["config"] == {"address": "https://wiki.example/b"}
    # Another part of the source requires a full listing.
    assert await pool.fetchval("SELECT state FROM connectors WHERE id = $1", made["id"]) == {}
    assert (await change("https://other.example", credentials=CREDENTIALS))["hasCredentials"]


async def test_what_does_not_fit_each_other_is_refused_whichever_changes(
    new_user: NewUser, api_settings: Settings, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    somebody = await new_user()
    deep = CONFIG | {"depth": 5}
    made = await somebody.call("ConnectorService/CreateConnector", made_of(config=deep, credentials=CREDENTIALS), via)

    async def change(**fields: Any) -> Any:
        request = {"id": made["id"], "connector": fields, "updateMask": ",".join(fields)}
        return await somebody.call("ConnectorService/UpdateConnector", request, via)

    scope = {"permissionMode": "PERMISSION_MODE_SCOPE"}
    with pytest.raises(ValidationFailedError) as caught:
        await change(**scope)
    assert list(caught.value.metadata) == ["connector.config.depth"]
    with pytest.raises(ValidationFailedError, match=r"config\.depth"):
        await somebody.call("ConnectorService/TestConnector", {"id": made["id"], **scope}, via)
    await change(config=CONFIG, **scope)
    with pytest.raises(ValidationFailedError, match=r"config\.depth"):
        await change(config=deep)
    await change(config=CONFIG | {"spaces": ["a"]})
    monkeypatch.setattr(api_settings.connectors, "google_client_id", "app")
    with pytest.raises(ConnectorStateError, match=r"config\.spaces: need a token"):
        await somebody.call("ConnectorService/StartConnectorSignIn", {"id": made["id"]}, via)
    await change(config=CONFIG)
    await somebody.call("ConnectorService/StartConnectorSignIn", {"id": made["id"]}, via)


async def test_a_test_without_an_ingestor_is_reported(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    draft = {"typeName": "acme_wiki", "config": CONFIG}
    with pytest.raises(DependencyUnavailableError, match="ingestor"):
        await somebody.call("ConnectorService/TestConnector", draft | {"credentials": CREDENTIALS}, via)
    with pytest.raises(ValidationFailedError, match="are missing"):
        await somebody.call("ConnectorService/TestConnector", draft, via)
    with pytest.raises(ValidationFailedError, match="is missing"):
        await somebody.call("ConnectorService/TestConnector", {}, via)


async def test_sign_in_needs_an_application(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", made_of(), via)
    with pytest.raises(ConnectorStateError, match="ECHOMIND_CONNECTORS__GOOGLE_CLIENT_ID"):
        await somebody.call("ConnectorService/StartConnectorSignIn", {"id": made["id"]}, via)


async def test_a_mode_is_set_again_once_the_readers_from_before_are_forgotten(
    new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    parts = gateway.parts.dependencies
    somebody = await new_user()
    made = await somebody.call("ConnectorService/CreateConnector", made_of(), via)

    async def change(mode: str) -> str:
        given = {"connector": {"permissionMode": f"PERMISSION_MODE_{mode}"}, "updateMask": "permissionMode"}
        changed = await somebody.call("ConnectorService/UpdateConnector", {"id": made["id"], **given}, via)
        return str(changed["permissionMode"])

    assert await change("SCOPE") == "PERMISSION_MODE_SCOPE"
    with pytest.raises(ConnectorStateError, match="still being removed"):
        await change("SOURCE")
    assert await change("SCOPE") == "PERMISSION_MODE_SCOPE"
    job = cast("Job", SimpleNamespace(subject_id=str(made["id"])))
    await ConnectorScopes(parts.database.pool, Indexes(parts.database.pool, parts.vectors)).work(job)
    assert await change("SOURCE") == "PERMISSION_MODE_SOURCE"
    assert await change("SCOPE") == "PERMISSION_MODE_SCOPE", "what everybody in the scope may read can be said at once"

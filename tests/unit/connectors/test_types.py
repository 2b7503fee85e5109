"""The connector types of EchoMind: valid settings, and errors for others."""

import json
from typing import Any

import pytest

from echomind_api.sources.connector_types import form_fields
from echomind_lib.connectors import ConnectorDefinition, PermissionMode, SettingsError
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.connectors.registry import definitions
from echomind_lib.connectors.types.file import FILE
from echomind_lib.connectors.types.microsoft import MicrosoftApplication, MicrosoftCredentials
from echomind_lib.connectors.types.onedrive import ONEDRIVE
from echomind_lib.connectors.types.storage import SERVICE_TITLES, STORAGE, S3Keys, StorageCredentials
from echomind_lib.connectors.types.teams import TEAMS
from echomind_lib.connectors.types.web import WEB
from echomind_lib.models.public import SettingCondition
from tests.drivers.tables import for_each
from tests.paths import ROOT


@pytest.mark.parametrize(
    ("config", "rule"),
    [
        ({"folder": "srv"}, "absolute path"),
        ({"include": ["*.pdf"]}, "include: needs a folder"),
        ({"folder": "/srv", "incldue": []}, "incldue: is no field"),
        ({"folder": "/srv", "exclude": [""]}, "length >= 1"),
    ],
)
def test_file_settings_that_would_be_ignored_are_refused(config: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingsError, match=rule):
        FILE.read_settings(config)


def test_a_folder_is_synced_and_for_superadmins_and_uploads_are_not() -> None:
    uploads, folder = FILE.read_settings({}), FILE.read_settings({"folder": "/srv/handbooks"})
    assert (FILE.is_synced(uploads), FILE.role_for(uploads)) == (False, "user")
    assert (FILE.is_synced(folder), FILE.role_for(folder)) == (True, "superadmin")


@pytest.mark.parametrize(
    ("config", "rule"),
    [
        ({}, "start_urls: is missing"),
        ({"start_urls": []}, "length >= 1"),
        ({"start_urls": ["ftp://example.com"]}, "must be an address that begins with https:// or http://"),
        ({"start_urls": ["https://example.com"], "max_depth": 51}, "<= 50"),
    ],
)
def test_web_settings_are_checked(config: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingsError, match=rule):
        WEB.read_settings(config)


def test_whole_numbers_may_come_as_floats_which_are_all_that_some_clients_have() -> None:
    settings = WEB.read_settings({"start_urls": ["https://example.com"], "max_depth": 3.0, "delay_seconds": 2.0})
    assert repr((settings.max_depth, settings.delay_seconds)) == "(3, 2.0)"  # type: ignore[attr-defined]
    with pytest.raises(SettingsError, match="max_depth"):
        WEB.read_settings({"start_urls": ["https://example.com"], "max_depth": 2.5})


@for_each(
    ("config", "rule"),
    [
        ({"service": "sftp"}, "invalid enum value"),
        ({"service": "s3"}, "bucket: is missing"),
        ({"service": "webdav", "bucket": "b", "endpoint": "https://dav.test"}, "bucket: must be empty"),
        ({"service": "webdav"}, "endpoint: is missing"),
        ({"service": "azure", "bucket": "b"}, "endpoint: is missing"),
        ({"service": "gcs", "bucket": "b", "region": "eu"}, "region: must be empty"),
        ({"service": "s3", "bucket": "b", "endpoint": "https://key:secret@s3.test"}, "without credentials"),
        ({"service": "s3", "bucket": "b", "folder": "a/../b"}, "folder: is a path"),
    ],
)
def test_storage_settings_that_would_be_ignored_are_refused(config: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingsError, match=rule):
        STORAGE.read_settings(config)


_APPLICATION = MicrosoftCredentials(
    application=MicrosoftApplication(tenant_id="contoso.com", client_id="1" * 36, client_secret="secret")
)
_PERSON = MicrosoftCredentials(oauth=OAuthGrant(refresh_token="token"))
_PEOPLE = {"people": ["ada@contoso.com"]}
_SITES = {"sites": ["https://contoso.sharepoint.com/sites/HR"]}
_CHATS = {"chats_of": ["ada@contoso.com"]}
_S3 = {"service": "s3", "bucket": "b"}
_AZURE = {"service": "azure", "bucket": "b", "endpoint": "https://a.blob.core.windows.net"}
_KEYS = StorageCredentials(s3=S3Keys(access_key="a", secret_key="b"))


@for_each(
    ("definition", "config", "credentials", "mode", "field"),
    [
        (STORAGE, _S3, None, "scope", ""),
        (STORAGE, _S3, _KEYS, "scope", ""),
        (STORAGE, _AZURE, _KEYS, "scope", "credentials"),
        (STORAGE, _AZURE, None, "scope", "credentials"),
        (ONEDRIVE, {}, None, "source", ""),
        (ONEDRIVE, {}, _PERSON, "source", ""),
        (ONEDRIVE, {}, _APPLICATION, "source", "config.people"),
        (ONEDRIVE, _PEOPLE, None, "source", ""),
        (ONEDRIVE, _PEOPLE, _APPLICATION, "source", ""),
        (ONEDRIVE, _PEOPLE, _PERSON, "source", "config.people"),
        (ONEDRIVE, _SITES, _PERSON, "scope", ""),
        (TEAMS, _CHATS, None, "source", ""),
        (TEAMS, _CHATS, _APPLICATION, "source", ""),
        (TEAMS, _CHATS, None, "scope", "config.chats_of"),
        (TEAMS, _CHATS, _PERSON, "source", "config.chats_of"),
    ],
)
def test_settings_credentials_and_permission_mode_fit_each_other(
    definition: ConnectorDefinition, config: dict[str, Any], credentials: Any, mode: PermissionMode, field: str
) -> None:
    settings = definition.read_settings(config)
    if not field:
        definition.check(settings, credentials, mode)
        return
    with pytest.raises(SettingsError) as caught:
        definition.check(settings, credentials, mode)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("credentials", "rule"),
    [
        ({"s3": {"access_key": "a", "secret_key": "b"}, "webdav": {"username": "a", "password": "b"}}, "one service"),
        ({"azure": {"account_name": "a"}}, "either"),
        ({"azure": {"account_name": "a", "account_key": "b", "sas_token": "c"}}, "either"),
    ],
)
def test_storage_credentials_are_those_of_one_service(credentials: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingsError, match=rule):
        STORAGE.read_credentials(credentials)


def test_a_form_shows_the_fields_of_the_chosen_service() -> None:
    fields = {field.name: field for field in form_fields(STORAGE.settings)}
    service = fields["service"]
    assert dict(zip(service.choices, service.choice_titles, strict=True)) == SERVICE_TITLES
    assert fields["folder"].applies_when is None
    assert fields["region"].applies_when == SettingCondition(setting="service", values=["s3"])
    assert fields["endpoint"].required_when == SettingCondition(setting="service", values=["azure", "webdav"])
    assert STORAGE.credentials is not None
    parts = {field.name: field.applies_when for field in form_fields(STORAGE.credentials, "secret")}
    assert parts == {name: SettingCondition(setting="service", values=[name]) for name in service.choices}


def test_the_german_pages_have_all_words() -> None:
    """What EchoMind's own types of sources say of themselves is translated by the web UI."""
    translated = json.loads((ROOT / "web" / "src" / "locales" / "de" / "connector-types.json").read_text())
    text: set[str] = set()
    for definition in definitions().values():
        if not definition.implementation.startswith("echomind_"):
            continue
        text |= {definition.title, definition.description}
        fields = [*form_fields(definition.settings)]
        fields += form_fields(definition.credentials, "secret") if definition.credentials else []
        for field in fields:
            for each in (field, *field.fields):
                text |= {each.title, each.description, *each.choice_titles}
    assert text - {""} == set(translated)
    assert all(translated.values())

"""The types of connectors that come with EchoMind: what they accept, and what they say of the rest."""

from typing import Any

import pytest

from echomind_lib.connectors import SettingsError
from echomind_lib.connectors.types.file import FILE
from echomind_lib.connectors.types.storage import STORAGE
from echomind_lib.connectors.types.web import WEB


@pytest.mark.parametrize(
    ("config", "rule"),
    [
        ({"folder": "srv"}, "absolute path"),
        ({"include": ["*.pdf"]}, "need a folder"),
        ({"folder": "/srv", "incldue": []}, "unknown field"),
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
        ({}, "start_urls"),
        ({"start_urls": []}, "length >= 1"),
        ({"start_urls": ["ftp://example.com"]}, "matching regex"),
        ({"start_urls": ["https://example.com"], "max_depth": 51}, "<= 50"),
    ],
)
def test_web_settings_are_checked(config: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingsError, match=rule):
        WEB.read_settings(config)


@pytest.mark.parametrize(
    ("config", "rule"),
    [
        ({"service": "sftp"}, "invalid enum value"),
        ({"service": "s3"}, "bucket is missing"),
        ({"service": "webdav", "bucket": "b", "endpoint": "https://dav.test"}, "no bucket"),
        ({"service": "webdav"}, "address is missing"),
        ({"service": "azure", "bucket": "b"}, "address is missing"),
        ({"service": "gcs", "bucket": "b", "region": "eu"}, "only S3"),
        ({"service": "s3", "bucket": "b", "endpoint": "https://key:secret@s3.test"}, "matching regex"),
        ({"service": "s3", "bucket": "b", "folder": "a/../b"}, "folder is a path"),
    ],
)
def test_storage_settings_that_would_be_ignored_are_refused(config: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingsError, match=rule):
        STORAGE.read_settings(config)


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

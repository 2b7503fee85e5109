"""The types of connectors that come with EchoMind: what they accept, and what they say of the rest."""

from typing import Any

import pytest

from echomind_lib.connectors import SettingsError
from echomind_lib.connectors.types.file import FILE


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

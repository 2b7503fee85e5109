"""Tests of connectors by ingestors: problems are failed checks with advice."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography.fernet import Fernet

from echomind_ingestor.sync.opening import Sources
from echomind_ingestor.sync.source_tests import SourceTests
from echomind_lib.config import ConnectorSettings
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ConnectorTestRequest
from echomind_lib.secrets import Secrets

SECRETS = Secrets([Fernet.generate_key().decode()])
ANOTHER_KEY = Secrets([Fernet.generate_key().decode()])
DRIVE = {"my_drive": True}


async def run(
    folder: Path, type_name: str, config: dict[str, Any], credentials: str | None = None, key: Secrets = SECRETS
) -> list[tuple[str, str]]:
    """Returns what was tried and how it went."""
    server = ConnectorSettings(folders=str(folder))
    tests = SourceTests(Sources(cast("Any", None), lambda: SECRETS, server, AllowedHosts(""), max_bytes=1000))
    request = ConnectorTestRequest(type_name=type_name, config=json.dumps(config))
    if credentials is not None:
        request.encrypted_credentials = key.encrypt(credentials)
    return [(check.name, check.status) for check in await tests.run(request)]


async def test_a_source_that_works(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A")
    assert await run(tmp_path, "file", {"folder": str(tmp_path)}) == [
        ("Find the folder", "passed"),
        ("List files", "passed"),
        ("Read a file", "passed"),
    ]


@pytest.mark.parametrize(
    ("type_name", "config", "credentials", "key", "name"),
    [
        ("none", {}, None, SECRETS, "Open the connector"),
        ("file", {"folder": 1}, None, SECRETS, "Open the connector"),
        ("google_drive", DRIVE, '{"oauth": {"refresh_token": "x"}}', ANOTHER_KEY, "Read the credentials"),
        ("google_drive", DRIVE, '{"unknown": 1}', SECRETS, "Read the credentials"),
    ],
)
async def test_what_cannot_be_tried_says_why(
    tmp_path: Path, type_name: str, config: dict[str, Any], credentials: str | None, key: Secrets, name: str
) -> None:
    assert await run(tmp_path, type_name, config, credentials, key) == [(name, "failed")]


async def test_a_mistake_before_the_source_is_open_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a mistake of the connector")

    monkeypatch.setattr(Sources, "open", fail)
    assert await run(tmp_path, "file", {"folder": str(tmp_path)}) == [("Run the test", "failed")]

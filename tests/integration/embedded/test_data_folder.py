"""Secrets and ports of a data folder."""

import json
import socket
import stat
from pathlib import Path

import pytest

from echomind.local.data_folder import DataFolder
from echomind.local.embedded.process import LOOPBACK, StartError
from echomind_lib.secret_key_file import new_key, write_keys
from echomind_lib.secrets import Secrets


def test_everything_in_it_is_the_owners_alone(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "data") as folder:
        folder.secrets()
        folder.ports(["postgres"])
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
        files = [path for path in folder.path.rglob("*") if path.is_file()]
        assert {path.name for path in files} == {"lock", "secrets.json", "ports.json"}
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_secrets_are_made_once(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "one") as folder:
        first = folder.secrets()
        assert folder.secrets() == first
    with DataFolder(tmp_path / "two") as folder:
        other = folder.secrets()
    assert first.postgres_password != other.postgres_password


def test_the_key_of_stored_secrets_moves_to_the_file_that_services_read(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        folder.secrets()
        file = tmp_path / "secrets.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"fernet_key": "of an older version"}))
        (tmp_path / "postgres").mkdir()
        folder.secrets()
        assert "fernet_key" not in json.loads(file.read_text())
        assert folder.secret_keys().split(",") == ["of", "an", "older", "version"]
        assert stat.S_IMODE((tmp_path / "secret-keys").stat().st_mode) == 0o600
        (tmp_path / "secret-keys").unlink()
        with pytest.raises(StartError, match=r"secret-keys .*restore it from a backup"):
            folder.secret_keys()


def test_a_key_that_moves_is_added_behind_those_that_are_there_already(tmp_path: Path) -> None:
    """A service started by hand made the file, or `secrets.json` was put back from a backup."""
    older, newer = new_key(), new_key()
    token = Secrets([older]).encrypt("stored")
    with DataFolder(tmp_path) as folder:
        folder.secrets()
        file = tmp_path / "secrets.json"
        write_keys(tmp_path / "secret-keys", [newer])
        for _ in range(2):  # the second time it is there already
            file.write_text(json.dumps(json.loads(file.read_text()) | {"fernet_key": older}))
            keys = folder.secret_keys().split(",")
            assert keys == [newer, older]
            assert older not in file.read_text()
        assert Secrets(keys).decrypt(token) == "stored"
        # The key stays where it is if it cannot be moved.
        (tmp_path / "secret-keys").unlink()
        (tmp_path / "secret-keys").mkdir()
        file.write_text(json.dumps(json.loads(file.read_text()) | {"fernet_key": older}))
        with pytest.raises(IsADirectoryError):
            folder.secrets()
        assert older in file.read_text()


def test_a_secret_that_a_newer_version_needs_is_added(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        file = tmp_path / "secrets.json"
        before = folder.secrets()
        stored = json.loads(file.read_text())
        del stored["qdrant_api_key"]
        file.write_text(json.dumps(stored))
        after = folder.secrets()
        assert after.qdrant_api_key
        assert after.postgres_password == before.postgres_password
        assert folder.secrets() == after


@pytest.mark.parametrize("content", [None, "{half a"])
def test_lost_secrets_beside_data_are_not_replaced(tmp_path: Path, content: str | None) -> None:
    with DataFolder(tmp_path) as folder:
        file = tmp_path / "secrets.json"
        (tmp_path / "postgres").mkdir()
        if content is not None:
            file.write_text(content)
        with pytest.raises(StartError, match=r"secrets\.json .*restore it from a backup"):
            folder.secrets()
        assert file.exists() == (content is not None)


def test_ports_are_kept_unless_taken(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        first = folder.ports(["postgres", "nats"])
        assert len(set(first.values())) == 2
        assert folder.ports(["postgres", "nats", "agent-1"]).items() >= first.items()
        with socket.create_server((LOOPBACK, first["nats"])):
            second = folder.ports(["postgres", "nats"])
        assert second["postgres"] == first["postgres"]
        assert second["nats"] != first["nats"]
        assert folder.ports(["nats"])["nats"] == second["nats"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartError, match=str(tmp_path / "file" / "data")):
        DataFolder(tmp_path / "file" / "data").__enter__()


@pytest.mark.parametrize(("names", "is_refused"), [(["notes.txt"], True), ([".DS_Store", "lost+found"], False)])
def test_a_folder_with_other_files_stays_as_it_is(tmp_path: Path, names: list[str], is_refused: bool) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    if not is_refused:
        with DataFolder(tmp_path):
            pass
        return
    with pytest.raises(StartError, match="has other files"):
        DataFolder(tmp_path).__enter__()
    assert [each.name for each in tmp_path.iterdir()] == names


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StartError, match=r"file cannot be used \(File exists\)"):
        DataFolder(file).__enter__()

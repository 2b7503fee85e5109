"""`echomind users export`."""

from pathlib import Path

import pytest
from aiohttp import web

from tests.drivers.api_server import EXPORT, ApiServer
from tests.drivers.shell import Shell

ME = {"id": 8, "userName": "ann"}


@pytest.fixture(autouse=True)
def people(api: ApiServer) -> None:
    api.on("UserService/GetCurrentUser", ME)
    api.on("UserService/ListUsers", {"users": [ME, {"id": 9, "userName": "bob"}]})
    api.on(EXPORT, lambda _: web.Response(body=b"archive"))


def test_an_export_is_written_for_its_reader_alone(
    api: ApiServer, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shell.run("users", "export").stdout == "Wrote echomind-user-8.zip (7 B).\n"
    path = tmp_path / "echomind-user-8.zip"
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"archive", 0o600)
    assert "exists: choose another name" in shell.run("users", "export", code=1).stderr
    other = shell.json("users", "export", "bob", "--output", str(path), "--force")
    assert other == {"userId": "9", "file": str(path), "sizeBytes": 7}
    assert [call.fields for call in api.sent(EXPORT)] == [{"id": "8"}, {"id": "9"}]


def test_a_part_of_an_export_is_not_kept(api: ApiServer, shell: Shell, tmp_path: Path) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"arch")
        assert request.transport is not None
        request.transport.abort()
        return response

    api.on(EXPORT, broken)
    folder = tmp_path / "exports"
    folder.mkdir()
    path = folder / "mine.zip"
    shell.run("users", "export", "--output", str(path), code=1)
    assert not any(folder.iterdir())
    path.write_bytes(b"earlier")
    shell.run("users", "export", "--output", str(path), "--force", code=1)
    assert path.read_bytes() == b"earlier"
    assert list(folder.iterdir()) == [path]


def test_an_export_that_replaces_a_file_is_as_private_as_a_new_one(shell: Shell, tmp_path: Path) -> None:
    other, path = tmp_path / "other.zip", tmp_path / "mine.zip"
    other.write_bytes(b"of somebody else")
    other.chmod(0o644)
    path.symlink_to(other)
    shell.run("users", "export", "--output", str(path), "--force")
    assert (path.read_bytes(), path.lstat().st_mode & 0o777, path.is_symlink()) == (b"archive", 0o600, False)
    assert other.read_bytes() == b"of somebody else"
    shell.run("users", "export", "--output", "/dev/null", "--force")
    assert Path("/dev/null").is_char_device()
    assert "Is a directory" in shell.run("users", "export", "--output", str(tmp_path), "--force", code=1).stderr

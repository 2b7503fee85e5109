"""`echomind login|logout|profiles`: keys by address, and which EchoMind commands use."""

import json
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from echomind.cli.api import DEFAULT_URL, locate
from echomind.cli.app import app
from echomind.cli.profiles import FOLDER_VARIABLE, Profile, Profiles, read_profiles, write_profiles
from echomind.cli.terminal import CommandError
from tests.drivers.api_server import ApiServer, refusal
from tests.drivers.folder_lock import held_lock
from tests.drivers.shell import shell_environment

AWAY = "https://echomind.example.org"
ANN = {"id": 2, "userName": "ann", "email": "ann@example.org"}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the profiles, which no test shares with the person who runs it."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "config"))
    return tmp_path / "config"


def run(*arguments: str, typed: str = "", code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments), input=typed, env=shell_environment())
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


def test_a_key_is_kept_for_its_address_and_used_there(api: ApiServer, config: Path) -> None:
    api.on("UserService/GetCurrentUser", ANN)
    api.on("LlmService/ListLlms", {"llms": []})
    assert run("login", f"{api.url}/", typed="em_secret\n").stdout == f"Signed in to {api.url} as ann.\n"
    (file,) = config.iterdir()
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(config.stat().st_mode)) == (0o600, 0o700)
    run("llms", "list")
    assert [call.headers["Authorization"] for call in api.calls] == ["Bearer em_secret"] * 2
    listed = run("profiles", "list", "--json").stdout
    assert json.loads(listed) == {"profiles": [{"address": api.url, "name": "", "userName": "ann", "isCurrent": True}]}
    assert run("logout").stdout == f"Signed out of {api.url}.\n"
    assert "em_secret" not in file.read_text()
    assert "not signed in anywhere" in run("logout", code=1).stderr


def test_a_key_that_does_not_work_is_not_kept(api: ApiServer, config: Path) -> None:
    api.on("UserService/GetCurrentUser", refusal("UNAUTHENTICATED", "The API key is not valid.", 401))
    assert "The API key is not valid." in run("login", api.url, typed="wrong\n", code=1).stderr
    assert "no API key" in run("login", api.url, code=1).stderr
    assert not config.exists()
    assert "is not an address" in run("login", "echomind.example.org", typed="k\n", code=1).stderr


def test_profiles_are_chosen_by_their_address(config: Path) -> None:
    write_profiles(Profiles("", {AWAY: Profile("k", "ann")}))
    assert "this machine" in run("profiles", "list").stderr
    run("profiles", "use", "HTTPS://EchoMind.example.org/")
    assert read_profiles().current == AWAY
    assert f"Known: {AWAY}." in run("profiles", "use", "https://other.example.org", code=1).stderr
    run("profiles", "use")
    assert read_profiles().current == ""
    (config / "profiles.json").write_text("[]")
    assert "is damaged" in run("profiles", "list", code=1).stderr


def test_keys_go_to_their_own_address_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, here = tmp_path / "data", "http://127.0.0.1:8123"
    (data / "run").mkdir(parents=True)
    (data / "run" / "url").write_text(here)
    (data / "owner-api-key").write_text("owner-key")
    monkeypatch.setattr("echomind.cli.api.default_data_dir", lambda: data)
    profiles = Profiles(AWAY, {AWAY: Profile("ann", "ann"), here: Profile("ben", "ben")})

    def found(url: str = "", data_dir: Path | None = None, kept: Profiles = profiles) -> tuple[str, str]:
        target = locate(url, "", data_dir, kept)
        return target.url, target.api_key

    assert found(kept=profiles.using("")) == (here, "ben")
    with held_lock(data):
        assert found(kept=profiles.using("")) == (here, "owner-key")
        # Who names a data folder means the EchoMind in it, as whoever is signed in elsewhere.
        assert found(data_dir=data) == (here, "owner-key")
    assert found() == (AWAY, "ann")
    assert found("https://echomind.example.org.evil.example") == ("https://echomind.example.org.evil.example", "")
    assert found(here) == (here, "ben")
    assert found(data_dir=tmp_path / "none") == (DEFAULT_URL, "")
    with pytest.raises(CommandError, match="There is no profile"):
        profiles.without("http://127.0.0.1:1")


def test_an_unencrypted_address_is_warned_of(config: Path) -> None:
    error = run("login", "http://192.0.2.1:1", code=1).stderr
    assert "http://192.0.2.1:1 is not encrypted" in error


KEYS = [
    {"id": 5, "name": "laptop", "prefix": "em_secret"},
    {"id": 6, "name": "script", "prefix": "em_other12", "parentId": 5},
    {"id": 7, "name": "phone", "prefix": "em_phone12"},
]


def test_a_key_is_revoked_before_it_is_forgotten(api: ApiServer, config: Path) -> None:
    write_profiles(Profiles(api.url, {api.url: Profile("em_secret-and-more", "ann")}))
    api.on("ApiKeyService/ListApiKeys", {"apiKeys": KEYS})
    api.on("ApiKeyService/DeleteApiKey", {})
    refused = run("logout", "--revoke", code=1).stderr
    assert "Revoke the key laptop and the keys created with it: script" in refused
    assert read_profiles().key(api.url)
    assert run("logout", "--revoke", "--yes").stdout == f"Signed out of {api.url} and revoked its key.\n"
    (call,) = api.sent("ApiKeyService/DeleteApiKey")
    assert call.fields == {"id": "5"}
    assert call.headers["Authorization"] == "Bearer em_secret-and-more"
    assert not read_profiles().by_address


def test_a_key_that_cannot_be_revoked_is_kept(api: ApiServer, config: Path) -> None:
    away = "http://127.0.0.1:1"
    write_profiles(Profiles(api.url, {api.url: Profile("em_unknown", "ann"), away: Profile("em_secret", "ann")}))
    api.on("ApiKeyService/ListApiKeys", {"apiKeys": KEYS})
    assert "lists no such API key" in run("logout", "--revoke", code=1).stderr
    error = run("logout", away, "--revoke", code=1).stderr
    assert f"EchoMind is not running at {away}" in error
    assert f"`echomind logout {away}` removes it without revoking it" in error
    assert read_profiles().by_address.keys() == {api.url, away}

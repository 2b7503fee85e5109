"""How commands find the server and the key, and their errors."""

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from typer.testing import CliRunner

from echomind.cli.api import DEFAULT_URL, Target, locate
from echomind.cli.app import app
from echomind.cli.profiles import Profiles
from echomind.cli.terminal import CommandError
from tests.drivers.api_server import ApiServer, refusal
from tests.drivers.folder_lock import held_lock
from tests.drivers.shell import Shell
from tests.paths import ROOT

RUN_ID = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Path]:
    """The data folder of a running EchoMind."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "url").write_text("http://127.0.0.1:8123\n")
    (tmp_path / "owner-api-key").write_text("owner-key\n")
    with held_lock(tmp_path):
        yield tmp_path


def test_without_options_the_local_echomind_is_used(local: Path) -> None:
    assert locate("", "", local, Profiles()) == Target("http://127.0.0.1:8123", "owner-key", "http://127.0.0.1:8123")


def test_links_have_the_address_that_people_use(local: Path, api: ApiServer, shell: Shell) -> None:
    (local / "run" / "public-url").write_text("https://tools.example.org/echomind/\n")
    assert locate("", "", local, Profiles()).public_url == "https://tools.example.org/echomind"
    assert locate("http://localhost:9000", "", local, Profiles()).public_url == "http://localhost:9000"
    (local / "run" / "url").write_text(api.url)
    api.on("AuthService/CreateSignInLink", {"path": "/auth/link?token=t"})
    result = CliRunner().invoke(app, ["users", "link", "--data-dir", str(local)])
    assert result.stdout == "https://tools.example.org/echomind/auth/link?token=t\n"


def test_an_empty_data_folder_means_the_default_address(tmp_path: Path) -> None:
    assert locate("", "", tmp_path / "missing", Profiles()) == Target(DEFAULT_URL, "", DEFAULT_URL)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8123", "HTTP://127.0.0.1:8123/"])
def test_the_owners_key_is_sent_to_the_echomind_of_its_folder(local: Path, url: str) -> None:
    assert locate(url, "", local, Profiles()).api_key == "owner-key"


def test_localhost_is_the_address_of_the_running_echomind(local: Path) -> None:
    assert locate("http://localhost:8123/", "", local, Profiles()) == Target(
        "http://127.0.0.1:8123", "owner-key", "http://localhost:8123"
    )


def test_the_owners_key_is_not_sent_to_who_listens_where_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "owner-api-key").write_text("owner-key")
    (tmp_path / "lock").touch()
    for address in ("", "http://127.0.0.1:8123"):  # never started, or killed
        (tmp_path / "run" / "url").write_text(address)
        for url in ("", "http://127.0.0.1:8123", DEFAULT_URL):
            assert locate(url, "", tmp_path, Profiles()).api_key == ""
    with held_lock(tmp_path):
        assert locate("", "", tmp_path, Profiles()).api_key == "owner-key"
        (tmp_path / "run" / "url").unlink()
        assert locate("", "", tmp_path, Profiles()).api_key == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://echomind.example.org",
        "http://127.0.0.1.example.org",
        "http://10.0.0.5:8080",
        "http://localhost:3000",
        "http://127.0.0.1:9000",
        "https://127.0.0.1:8123",
    ],
)
def test_the_owners_key_is_not_sent_to_another_address(local: Path, url: str) -> None:
    assert locate(url, "", local, Profiles()).api_key == ""
    assert locate(url, "given", local, Profiles()).api_key == "given"


@pytest.mark.parametrize("name", ["owner-api-key", "lock"])
def test_an_unreadable_data_folder_is_named(local: Path, name: str) -> None:
    (local / name).unlink()
    (local / name).mkdir()
    with pytest.raises(CommandError, match=f"{name} cannot be read"):
        locate("", "", local, Profiles())


def test_status_explains_how_to_start_when_nothing_runs(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["search", "leave", "--url", "http://127.0.0.1:1", "--data-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"not running at http://127.0.0.1:1: start it with `echomind up --data-dir {tmp_path}`." in result.stderr


def test_the_key_is_sent_as_a_bearer_token(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", {"llms": []})
    shell.run("llms", "list", key="my-key")
    assert api.calls[0].headers["Authorization"] == "Bearer my-key"


def test_an_error_of_the_api_is_shown_with_its_reason(api: ApiServer, shell: Shell) -> None:
    api.on("RunService/GetRun", refusal("NOT_FOUND", "There is no run with this id.", 404, resource="run"))
    result = shell.run("runs", "show", RUN_ID, code=1)
    assert result.stdout == ""
    assert result.stderr == "error: There is no run with this id. [NOT_FOUND]\n"
    error = shell.json("runs", "show", RUN_ID, code=1)["error"]
    assert error == {
        "code": "NOT_FOUND",
        "reason": "NOT_FOUND",
        "message": "There is no run with this id.",
        "metadata": {"resource": "run"},
    }


def test_a_missing_key_says_where_to_put_one(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/ListUsers", refusal("UNAUTHENTICATED", "Send `Authorization: Bearer`.", 401))
    error = shell.run("users", "list", key="", code=1).stderr
    assert error.startswith("error: Sign in first. [UNAUTHENTICATED]\n")
    assert f"`echomind login {api.url}` signs in by a code" in error
    assert "--data-dir DIR" in error
    assert "--data-dir" not in shell.run("users", "list", key="wrong", code=1).stderr


def test_another_program_at_the_address_is_recognised(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", lambda call: web.Response(text="<html>", status=404))
    assert "does not speak EchoMind's API" in shell.run("llms", "list", code=1).stderr


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("127.0.0.1:8080", "is not an address"),
        ("ftp://127.0.0.1", "is not an address"),
        ("http://", "is not an address"),
        ("https://{api}", "cannot be reached by HTTPS"),
    ],
)
def test_a_wrong_address_is_named_at_once(api: ApiServer, tmp_path: Path, url: str, message: str) -> None:
    url = url.format(api=api.url.removeprefix("http://"))
    result = CliRunner().invoke(app, ["ask", "How many days?", "--url", url, "--data-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_server_that_does_not_speak_http_is_named_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        result = CliRunner().invoke(app, ["ask", "How many days?", "--url", url, "--data-dir", str(tmp_path)])
        thread.join(10)
    assert result.exit_code == 1
    assert "does not speak HTTP" in result.stderr


def test_an_answer_of_another_version_is_an_error(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", {"llms": [], "surprise": 1})
    assert "different versions" in shell.run("llms", "list", code=1).stderr


def test_wrong_usage_is_exit_code_2(shell: Shell) -> None:
    shell.run("no-such-command", code=2)
    shell.run("search", "  ", code=2)
    shell.run("runs", "show", "12", code=2)
    shell.run("connectors", "add", "X", "--scope", "group", code=2)


def test_values_that_break_a_rule_of_the_contract_are_named(shell: Shell) -> None:
    result = shell.run("llms", "add", "x" * 300, "--provider", "openai", "--model", "m", code=1)
    assert "name: must have at most 255 characters. Unique display name." in result.stderr
    assert "255" in result.stderr


def test_no_path_of_the_api_is_typed_by_hand() -> None:
    typed = re.compile(r"""/api/v\d|["'](?:GET|PUT|POST|PATCH|DELETE)["']""")
    files = list(ROOT.joinpath("echomind/cli").rglob("*.py"))
    assert files
    assert [file.name for file in files if typed.search(file.read_text())] == []

"""`echomind up`, up to where it would start something."""

import os
import socket
from pathlib import Path

import pytest

from echomind.local.data_folder import DataFolder
from echomind.local.embedded.process import LOOPBACK, free_port
from echomind.local.settings import unknown_settings
from echomind.local.stack import Public, plan
from echomind.local.up import FAILED, run_up


@pytest.mark.parametrize("option", ["http", "grpc"])
def test_a_port_in_use_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        ports = {"http_port": 0, "grpc_port": 0} | {f"{option}_port": port}
        assert run_up(data_dir=tmp_path / "data", **ports) == FAILED
    errors = capsys.readouterr().err
    assert f"port {port} on {LOOPBACK} is in use" in errors
    assert f"(process {os.getpid()})" in errors
    assert f"--{option}-port" in errors
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("AGENT__CONCURRENCY", "-1", "must be at least 1"),
        ("API__MAX_CONNECTIONS", "abc", "must be a whole number"),
        ("TELEMETRY__LOG_LEVEL", "loud", "must be"),
        ("WEB_SEARCH__PROVIDER", "foo", "must be one of"),
        ("FETCH__ALLOWED_HOSTS", '["127.0.0.1"]', "no host name"),
        ("SECRETS__KEYS", "zz", "not a Fernet key"),
        ("API__TRUSTED_PROXIES", "1.2.3", "no IP address or network"),
        ("API__PUBLIC_URL", "notaurl", "must be an address such as"),
        ("API", "{", "a setting is not valid"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_starts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    says: str,
) -> None:
    monkeypatch.setenv(f"ECHOMIND_{name}", value)
    assert run_up(data_dir=tmp_path / "data", http_port=0, grpc_port=0) == FAILED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("EchoMind cannot run: ")
    assert f"ECHOMIND_{name}" in line or name == "API"
    assert says in line
    assert not (tmp_path / "data").exists()


def test_variables_that_are_no_settings_are_named() -> None:
    given = (
        "ECHOMIND_API__NOSUCH",
        "ECHOMIND_API__PUBLIC_ULR",
        "ECHOMIND_API_PUBLIC_URL",
        "ECHOMIND_API__PUBLIC_URL",
        "echomind_api__public_url",
        "ECHOMIND_AUTH__PROVIDERS__IDP__CLIENT_ID",
        "ECHOMIND_API_KEY",
        "ECHOMIND_DATA_DIR",
        "PATH",
    )
    first, second, third = unknown_settings(dict.fromkeys(given, "x"))
    assert first.startswith("ECHOMIND_API_PUBLIC_URL is no setting of EchoMind: is ECHOMIND_API__PUBLIC_URL meant?")
    assert second.startswith("ECHOMIND_API__NOSUCH is no setting")
    assert third == "ECHOMIND_API__PUBLIC_ULR is no setting of EchoMind: is ECHOMIND_API__PUBLIC_URL meant?"


def test_one_port_for_both_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    assert run_up(data_dir=tmp_path / "data", http_port=port, grpc_port=port) == FAILED
    assert "--http-port and --grpc-port" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "says"), [("192.0.2.1", "not an address of this machine"), ("no such host", "not known")]
)
def test_an_address_that_is_not_ours_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], host: str, says: str
) -> None:
    assert run_up(data_dir=tmp_path, host=host, http_port=0, grpc_port=0) == FAILED
    errors = capsys.readouterr().err
    assert host in errors
    assert says in errors
    assert "--host" in errors


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with DataFolder(tmp_path):
        assert run_up(data_dir=tmp_path, http_port=0, grpc_port=0) == FAILED
    assert f"in use by EchoMind, process {os.getpid()}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "url"),
    [(LOOPBACK, "http://127.0.0.1:8080"), ("0.0.0.0", "http://127.0.0.1:8080"), ("::", "http://[::1]:8080")],
)
def test_url_for_this_machine(host: str, url: str) -> None:
    assert Public(host, 8080, 50051).url == url


@pytest.mark.parametrize(("given", "threshold"), [({}, "1048576"), ({"MALLOC_MMAP_THRESHOLD_": "7"}, "7")])
def test_services_give_memory_back(tmp_path: Path, given: dict[str, str], threshold: str) -> None:
    with DataFolder(tmp_path) as folder:
        stack = plan(folder, Public(LOOPBACK, free_port(), free_port()), agents=1, ingestors=1, given=given)
    for spec in (*stack.agents, *stack.ingestors, *stack.embedding, stack.api, stack.migration):
        assert spec.env["MALLOC_MMAP_THRESHOLD_"] == threshold


@pytest.mark.parametrize(
    ("processors", "given", "connections"),
    [
        (2, {}, "5"),
        (64, {}, "10"),
        (2, {"ECHOMIND_POSTGRES__POOL_SIZE": "20"}, "20"),
        (2, {"ECHOMIND_POSTGRES__URL": "postgresql://u:p@db/echomind"}, None),
    ],
)
def test_processes_share_the_processors_of_their_database(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    processors: int,
    given: dict[str, str],
    connections: str | None,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    with DataFolder(tmp_path) as folder:
        stack = plan(folder, Public(LOOPBACK, free_port(), free_port()), agents=1, ingestors=1, given=given)
    for spec in (*stack.agents, *stack.ingestors, stack.api):
        assert spec.env.get("ECHOMIND_POSTGRES__POOL_SIZE") == connections


def test_every_service_gets_the_addresses_of_the_servers(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        stack = plan(folder, Public(LOOPBACK, free_port(), free_port()), agents=2, ingestors=1, given={})
    assert [server.spec().name for server in stack.servers] == ["postgres", "s3", "nats", "qdrant"]
    assert [spec.name for spec in stack.agents] == ["agent-1", "agent-2"]
    for spec in (*stack.agents, *stack.ingestors, *stack.embedding, stack.api, stack.migration):
        for name in (
            "POSTGRES__URL",
            "NATS__URL",
            "QDRANT__URL",
            "S3__ENDPOINT",
            "EMBEDDING__URL",
            "DATA_DIR",
            "START_FILE",
        ):
            assert f"ECHOMIND_{name}" in spec.env, (spec.name, name)
    keys = {spec.env["ECHOMIND_EMBEDDING__API_KEY"] for spec in (*stack.agents, *stack.embedding, stack.api)}
    assert [len(key) for key in keys] == [32]
    ports = [spec.env["ECHOMIND_AGENT__HEALTH_PORT"] for spec in stack.agents]
    assert len(set(ports)) == 2


def test_a_server_that_is_given_by_url_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "ECHOMIND_POSTGRES__URL": "postgresql://u:p@db/echomind",
        "ECHOMIND_QDRANT__URL": "https://vectors:6334",
        "ECHOMIND_EMBEDDING__URL": "gpu:50061",
        "ECHOMIND_SECRETS__KEYS": "key",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with DataFolder(tmp_path) as folder:
        stack = plan(folder, Public(LOOPBACK, free_port(), free_port()), agents=1, ingestors=1, given=os.environ)
    assert [server.spec().name for server in stack.servers] == ["s3", "nats"]
    assert stack.embedding == []
    assert stack.api.env.items() >= given.items()
    assert "ECHOMIND_EMBEDDING__API_KEY" not in stack.api.env
    assert "ECHOMIND_QDRANT__API_KEY" not in stack.api.env

"""`echomind doctor`: what it finds well, warns of and names as a problem."""

import json
import os
from pathlib import Path

import pytest

from echomind.cli.administration import doctor
from echomind.local.embedded.process import free_port
from echomind_lib.confined import landlock
from tests.drivers.api_server import READY, ApiServer, refusal
from tests.drivers.shell import Shell


def levels(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {check["name"]: check["level"] for check in report["checks"]}


def _everything_well(api: ApiServer) -> None:
    api.on(READY, {"ready": True, "dependencies": {"postgres": "ok"}})
    api.on("UserService/GetCurrentUser", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    model = {"id": 1, "name": "Small", "provider": "LLM_PROVIDER_OLLAMA", "modelId": "qwen3", "isDefault": True}
    api.on("LlmService/ListLlms", {"llms": [model | {"isActive": True}]})


def test_doctor_finds_everything_well(api: ApiServer, shell: Shell) -> None:
    _everything_well(api)
    report = shell.json("doctor")
    assert report["ok"]
    found = levels(report)
    assert {found[name] for name in ("Python", "Installation", "Service", "API key", "Chat model")} == {"ok"}


def test_doctor_tells_of_documents_that_failed(api: ApiServer, shell: Shell) -> None:
    _everything_well(api)
    read = {"name": "documents", "status": "HEALTH_STATUS_OK", "failed": "1"}
    workers = [{"service": "agent"}, {"service": "ingestor"}]
    api.on("SystemService/GetSystemHealth", {"version": "0.1.0", "queues": [read], "workers": workers})
    assert "Documents: 1 document could not be read" in shell.run("doctor").stdout


def test_doctor_warns_of_a_proxy_that_is_not_named(api: ApiServer, shell: Shell) -> None:
    _everything_well(api)
    proxy = {"name": "proxy", "status": "HEALTH_STATUS_DEGRADED", "message": "Requests come through 10.0.0.2."}
    workers = [{"service": "agent"}, {"service": "ingestor"}]
    api.on("SystemService/GetSystemHealth", {"version": "0.1.0", "parts": [proxy], "workers": workers})
    assert levels(shell.json("doctor"))["Proxy"] == "warning"
    assert "Proxy: Requests come through 10.0.0.2." in shell.run("doctor").stdout


def test_doctor_names_problems(api: ApiServer, shell: Shell) -> None:
    api.on(READY, {"ready": False, "dependencies": {"postgres": "ok", "nats": "failed: TimeoutError"}})
    api.on("UserService/GetCurrentUser", refusal("UNAUTHENTICATED", "Sign in first.", 401))
    report = shell.json("doctor", code=1)
    assert not report["ok"]
    assert (levels(report)["Service"], levels(report)["API key"]) == ("failed", "failed")
    assert "nats failed: TimeoutError" in shell.run("doctor", code=1).stdout


@pytest.mark.parametrize(
    ("version", "variables", "levels", "message"),
    [
        (7, {}, ["ok", "ok"], "none is started: none is listed"),
        (7, {"ECHOMIND_MCP__PROGRAMS": "uvx a, files-mcp"}, ["ok", "ok"], "confined; permitted are uvx a, files-mcp"),
        (7, {"ECHOMIND_MCP__STDIO": "off"}, ["ok", "ok"], "turned off"),
        (7, {"ECHOMIND_MCP__STDIO": "any"}, ["ok", "warning"], "any (confined)"),
        (0, {}, ["warning", "ok"], "none is started"),
        (
            0,
            {"ECHOMIND_MCP__PROGRAMS": "files-mcp"},
            ["warning", "warning"],
            "none is started: they cannot be confined",
        ),
        (0, {"ECHOMIND_MCP__STDIO": "any"}, ["warning", "warning"], "they can read all of EchoMind's data"),
    ],
)
def test_doctor_says_what_confines_programs_and_readers_of_files(
    monkeypatch: pytest.MonkeyPatch, version: int, variables: dict[str, str], levels: list[str], message: str
) -> None:
    monkeypatch.setattr(landlock, "version", lambda: version)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    findings = list(doctor.check_confinement())
    assert [finding.level for finding in findings] == levels
    assert message in findings[1].message


def test_doctor_checks_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert [finding.level for finding in doctor.check_data_folder(folder)] == ["ok", "ok"]
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    found = next(iter(doctor.check_data_folder(folder)))
    assert (found.level, found.advice) == ("warning", f"chmod 700 {folder}")
    file = tmp_path / "file"
    file.write_text("")
    found = next(iter(doctor.check_data_folder(file / "data")))
    assert found.level == "failed"
    assert os.fspath(file) in found.message


def test_doctor_of_a_service_checks_its_servers_and_not_what_it_has_not(
    api: ApiServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pod there are no embedded servers, no data folder and no key."""
    api.on(READY, {"ready": True, "dependencies": {"postgres": "ok"}})
    asked = "The host 'echomind-api' is no name of this server."  # at the name of a Service, without a key
    api.on("UserService/GetCurrentUser", refusal("VALIDATION_FAILED", asked, 421))
    monkeypatch.setenv("ECHOMIND_POSTGRES__URL", f"postgresql://nobody@127.0.0.1:{free_port()}/none")
    found = levels(json.loads(shell.run("doctor", "--json", key="", code=1).stdout))
    assert found["PostgreSQL"] == "failed"
    assert (found["Service"], found["API key"]) == ("ok", "warning")
    assert not {"Installation", "Data folder", "Disk", "Parts"} & set(found)


def test_doctor_of_a_service_says_that_its_key_is_refused(
    api: ApiServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    _everything_well(api)
    api.on("UserService/GetCurrentUser", refusal("UNAUTHENTICATED", "This API key has expired.", 401))
    monkeypatch.setenv("ECHOMIND_POSTGRES__URL", f"postgresql://nobody@127.0.0.1:{free_port()}/none")
    assert levels(shell.json("doctor", code=1))["API key"] == "failed"


@pytest.mark.parametrize(
    ("status", "free", "level"),
    [("FAILED", 500_000_000, "failed"), ("OK", 2_100_000_000, "warning"), ("OK", 2_200_000_000, "ok")],
)
def test_doctor_of_a_service_judges_the_disk_that_the_gateway_monitors(
    api: ApiServer, shell: Shell, monkeypatch: pytest.MonkeyPatch, status: str, free: int, level: str
) -> None:
    _everything_well(api)
    space = {"folder": "/srv", "freeBytes": str(free), "totalBytes": "9000000000", "reserveBytes": "536870912"}
    health = {"disk": space | {"status": f"HEALTH_STATUS_{status}"}, "version": "0.1.0"}
    workers = [{"service": "agent"}, {"service": "ingestor"}]
    api.on("SystemService/GetSystemHealth", health | {"workers": workers})
    monkeypatch.setenv("ECHOMIND_POSTGRES__URL", f"postgresql://nobody@127.0.0.1:{free_port()}/none")
    assert levels(shell.json("doctor", code=1))["Disk"] == level

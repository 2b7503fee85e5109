"""The compose file by the schema of its specification, and what its profiles need of each other."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from echomind.backup.servers import are_external
from echomind_lib.config import DescriptionSettings, Settings, TranscriptionSettings
from tests.factories.variables import settings_of
from tests.paths import ROOT

DEPLOY = ROOT / "deploy"
TEXT = (DEPLOY / "compose.yaml").read_text()
FILE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
SCHEMA = json.loads((ROOT / "third_party" / "compose-spec" / "compose-spec.json").read_text())
PROFILES = {"tools", "observability", "langfuse", "authentik"}
CONNECTION = {"ECHOMIND_URL", "ECHOMIND_API_KEY"}
"""Variables of the command line, which are no settings of services."""
LANGFUSE = """
    CLICKHOUSE_CLUSTER_ENABLED CLICKHOUSE_MIGRATION_URL CLICKHOUSE_PASSWORD CLICKHOUSE_URL CLICKHOUSE_USER DATABASE_URL
    ENCRYPTION_KEY LANGFUSE_INIT_ORG_ID LANGFUSE_INIT_PROJECT_ID LANGFUSE_INIT_PROJECT_PUBLIC_KEY
    LANGFUSE_INIT_PROJECT_SECRET_KEY LANGFUSE_INIT_USER_EMAIL LANGFUSE_INIT_USER_NAME LANGFUSE_INIT_USER_PASSWORD
    LANGFUSE_S3_EVENT_UPLOAD_ACCESS_KEY_ID LANGFUSE_S3_EVENT_UPLOAD_BUCKET LANGFUSE_S3_EVENT_UPLOAD_ENDPOINT
    LANGFUSE_S3_EVENT_UPLOAD_FORCE_PATH_STYLE LANGFUSE_S3_EVENT_UPLOAD_PREFIX LANGFUSE_S3_EVENT_UPLOAD_REGION
    LANGFUSE_S3_EVENT_UPLOAD_SECRET_ACCESS_KEY NEXTAUTH_SECRET NEXTAUTH_URL REDIS_AUTH REDIS_HOST REDIS_PORT SALT
    TELEMETRY_ENABLED
"""
"""Variables of Langfuse 4.16.0, as in its own compose file."""
AUTHENTIK = """
    AUTHENTIK_BOOTSTRAP_EMAIL AUTHENTIK_BOOTSTRAP_PASSWORD AUTHENTIK_DISABLE_UPDATE_CHECK
    AUTHENTIK_ERROR_REPORTING__ENABLED AUTHENTIK_POSTGRESQL__HOST AUTHENTIK_POSTGRESQL__NAME
    AUTHENTIK_POSTGRESQL__PASSWORD AUTHENTIK_POSTGRESQL__USER AUTHENTIK_SECRET_KEY
"""
"""Variables of Authentik 2026.2, as in its own compose file and its documentation."""


def profiles_of(name: str) -> set[str]:
    return set(SERVICES[name].get("profiles", []))


def test_the_file_is_of_the_specification() -> None:
    specification = jsonschema.Draft7Validator(SCHEMA)
    specification.validate(FILE)
    assert not specification.is_valid(FILE | {"services": {"a": {"imgae": "b"}}})


def test_without_a_profile_nothing_of_one_is_needed() -> None:
    assert set().union(*(profiles_of(name) for name in SERVICES)) == PROFILES
    for name, service in SERVICES.items():
        for needed, how in service.get("depends_on", {}).items():
            assert profiles_of(needed) <= profiles_of(name), (name, needed)
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[needed], needed
    required = set(re.findall(r"\$\{(\w+):\?", TEXT))
    assert not [name for name in required if name.startswith(("LANGFUSE", "AUTHENTIK", "GRAFANA"))]


def test_images_of_others_have_versions() -> None:
    for name, service in SERVICES.items():
        own = service["image"].startswith("${ECHOMIND_REGISTRY")
        assert own or re.search(r":(v?\d|RELEASE\.\d)", service["image"]), name


def test_volumes_and_hosts_exist() -> None:
    used = set()
    for name, service in SERVICES.items():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            if source.startswith("./"):
                assert (DEPLOY / source).exists(), name
            else:
                used.add(source)
        for value in service.get("environment", {}).values():
            for host in re.findall(r"(?:@|://)([a-z][a-z0-9-]+):\d+", str(value)):
                assert host in SERVICES or host == "localhost", (name, host)
    assert used == FILE["volumes"].keys()


@pytest.mark.parametrize("password", ["", "correct horse"])
def test_grafana_does_not_start_without_a_password(password: str, tmp_path: Path) -> None:
    assert SERVICES["grafana"]["environment"]["GF_SECURITY_ADMIN_PASSWORD"] == "${GRAFANA_PASSWORD:-}"
    shell, option, script = (part.replace("$$", "$") for part in SERVICES["grafana"]["entrypoint"])
    begun = tmp_path / "begun"
    start = tmp_path / "run.sh"
    start.write_text(f"#!/bin/sh\ntouch {begun}\n")
    start.chmod(0o755)
    done = subprocess.run(
        [shell, option, script.replace("/run.sh", str(start))],
        env={"GF_SECURITY_ADMIN_PASSWORD": password, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert begun.exists() is (done.returncode == 0) is bool(password)
    assert ("Set GRAFANA_PASSWORD" in done.stderr) is not bool(password)


def test_langfuse_does_not_start_without_its_password() -> None:
    """The image of its PostgreSQL refuses an empty one, so that nothing of it runs with empty secrets."""
    of_servers = "${LANGFUSE_SERVERS_PASSWORD:-}"
    assert SERVICES["langfuse-postgres"]["environment"]["POSTGRES_PASSWORD"] == of_servers
    for name in ("langfuse-web", "langfuse-worker"):
        environment = SERVICES[name]["environment"]
        assert {environment["SALT"], environment["NEXTAUTH_SECRET"]} == {of_servers}
        assert f":{of_servers}@langfuse-postgres:" in environment["DATABASE_URL"]


def test_what_is_optional_is_in_the_example() -> None:
    named = set(re.findall(r"\$\{((?:LANGFUSE|AUTHENTIK|GRAFANA|TRANSCRIPTION|DESCRIPTION)_\w+)", TEXT))
    assert named == set(re.findall(r"^#(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))


def test_langfuse_and_authentik_get_variables_that_they_know() -> None:
    for prefix, known in (("langfuse", LANGFUSE), ("authentik", AUTHENTIK)):
        for name, service in SERVICES.items():
            if name.removeprefix(f"{prefix}-") in {"web", "worker", "server"}:
                variables = {each for each in service["environment"] if not each.startswith("ECHOMIND_")}
                assert variables <= set(known.split()), name
    blueprint = (DEPLOY / "authentik" / "echomind.yaml").read_text()
    for variable in SERVICES["authentik-worker"]["environment"]:
        assert not variable.startswith("ECHOMIND_") or variable in blueprint


def test_own_services_take_every_setting_from_a_file_that_may_be_missing() -> None:
    own = {name for name, service in SERVICES.items() if service["image"].startswith("${ECHOMIND_REGISTRY")}
    assert own == {"migrate", "embedding", "ingestor", "agent", "api", "tools"}
    for name in own:
        assert SERVICES[name]["env_file"] == [{"path": "settings.env", "required": False}], name
        assert settings_of(Settings) >= SERVICES[name]["environment"].keys() - CONNECTION, name
    assert "`settings.env`" in (DEPLOY / "example.env").read_text()
    assert not (DEPLOY / "settings.env").exists()


def test_the_command_line_has_the_servers_of_the_services(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = SERVICES["tools"]
    assert tools["environment"].keys() >= SERVICES["agent"]["environment"].keys()
    assert are_external(tools["environment"]), "a backup takes the servers, not the data folder"
    assert not tools["depends_on"], "a restore needs servers that nothing has migrated"
    assert tools["restart"] == "no"
    for name, value in tools["environment"].items():
        assert value == SERVICES["api"]["environment"].get(name, value), name
        monkeypatch.setenv(name, re.sub(r"\$\{\w+(?::\?[^}]*|:-([^}]*))\}", r"\1", value))
    assert Settings().api.public_url == "http://127.0.0.1:8080"
    port = tools["environment"]["ECHOMIND_URL"].rpartition(":")[2]
    assert any(str(each).endswith(f":{port}") for each in SERVICES["api"]["ports"])


def test_nothing_reports_to_its_vendor() -> None:
    assert SERVICES["langfuse-web"]["environment"]["TELEMETRY_ENABLED"] == "false"
    assert SERVICES["authentik-server"]["environment"]["AUTHENTIK_ERROR_REPORTING__ENABLED"] == "false"
    assert SERVICES["qdrant"]["environment"]["QDRANT__TELEMETRY_DISABLED"] == "true"
    assert "-master.telemetry=false" in SERVICES["s3"]["command"][0]
    assert SERVICES["grafana"]["environment"]["GF_ANALYTICS_REPORTING_ENABLED"] == "false"


def test_empty_addresses_of_langfuse_send_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SERVICES["agent"]["environment"].items():
        if name.startswith("ECHOMIND_TELEMETRY__LANGFUSE"):
            assert value.endswith(":-}")
            monkeypatch.setenv(name, "")
    assert not Settings().telemetry.langfuse_url


def test_ingestors_get_every_setting_of_transcription_and_description(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = SERVICES["ingestor"]["environment"]
    for section in ("transcription", "description"):
        for field in type(getattr(Settings(), section)).model_fields:
            name = f"{section}_{field}".upper()
            given = re.fullmatch(rf"\$\{{{name}:-(.*)\}}", environment[f"ECHOMIND_{section.upper()}__{field.upper()}"])
            assert given, name
            monkeypatch.setenv(f"ECHOMIND_{section.upper()}__{field.upper()}", given[1])
    unset = Settings()
    assert (unset.transcription, unset.description) == (TranscriptionSettings(), DescriptionSettings())

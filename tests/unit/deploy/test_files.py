"""The Dockerfile, the compose file and the systemd units: well-formed, and without names that do not exist."""

import configparser
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from echomind_lib.config import Settings
from tests.drivers.tables import for_each
from tests.factories.variables import settings_of
from tests.paths import ROOT

DEPLOY = ROOT / "deploy"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def test_the_dockerfile_passes_hadolint() -> None:
    program = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([program, DEPLOY / "Dockerfile"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_images_exist_for_what_is_deployed() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    targets = set(re.findall(r"^FROM run AS (\w+)$", text, re.MULTILINE))
    assert targets == {"api", "agent", "ingestor", "embedding", "migrate", "all"}
    programs = set(re.findall(r'^ENTRYPOINT \["([\w-]+)"', text, re.MULTILINE))
    assert programs == set(PROJECT["scripts"])
    assert set(re.findall(r"ECHOMIND_\w+", text)) <= settings_of(Settings)


def test_the_compose_file_names_existing_settings_and_variables() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    services = yaml.safe_load(text)["services"]
    known = settings_of(Settings) | {"ECHOMIND_URL", "ECHOMIND_API_KEY"}  # the latter are the command line's
    for name, service in services.items():
        if "/echomind-" in service["image"]:
            variables = {each for each in service["environment"] if each.startswith("ECHOMIND_")}
            assert variables <= known, name
            assert (service["read_only"], service["user"], service["cap_drop"]) == (True, "10001:10001", ["ALL"]), name
    required = set(re.findall(r"\$\{(\w+):\?", text))
    example = set(re.findall(r"^(\w+)=", (DEPLOY / "example.env").read_text(), re.MULTILINE))
    assert required <= example
    assert example - required <= set(re.findall(r"\$\{(\w+)", text))


@for_each("unit", UNITS, ids=lambda unit: str(unit.stem))
def test_units_start_programs_of_the_distribution_with_limits(unit: Path) -> None:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit.read_text())
    service = parser["Service"]
    assert Path(service["ExecStart"].split()[0]).name in PROJECT["scripts"]
    assert service["User"] == "echomind"
    assert (service["NoNewPrivileges"], service["ProtectSystem"]) == ("yes", "strict")
    assert set(re.findall(r"ECHOMIND_\w+", unit.read_text())) <= settings_of(Settings)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed (Debian: systemd)")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    programs = Path(sys.executable).parent
    for unit in (*UNITS, *(DEPLOY / "systemd").glob("*.target")):
        text = unit.read_text().replace("/opt/echomind/bin", str(programs))
        # What a template is started as.
        (tmp_path / unit.name.replace("@.", "@1.")).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(tmp_path.iterdir())], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def _metrics() -> set[str]:
    """Returns the names of EchoMind's own measurements, as the code defines them."""
    sources = [*(ROOT / "echomind_lib").rglob("*.py"), *(ROOT / "services").rglob("*.py")]
    pattern = re.compile(r'(?:Counter|Gauge|Histogram|Metric)\(\s*"(echomind_\w+)"')
    return {name for file in sources for name in pattern.findall(file.read_text())}


def test_alerts_and_dashboards_name_existing_measurements_and_runbooks() -> None:
    folder = DEPLOY / "dashboards"
    (group,) = yaml.safe_load((folder / "alerts.yaml").read_text())["groups"]
    dashboard = json.loads((folder / "echomind.json").read_text())
    queries = [rule["expr"] for rule in group["rules"]]
    queries += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    named = {name.removesuffix("_bucket") for query in queries for name in re.findall(r"echomind_\w+", query)}
    assert named <= _metrics()
    runbooks = (ROOT / "docs/guide/monitoring.md").read_text()
    assert [rule["alert"] for rule in group["rules"]] == re.findall(r"^### (\w+)$", runbooks, re.MULTILINE)
    for rule in group["rules"]:
        page, _, section = rule["annotations"]["runbook"].partition("#")
        assert (page, section) == ("docs/guide/monitoring.md", rule["alert"].lower())

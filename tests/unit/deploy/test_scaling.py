"""What Prometheus and KEDA are told: alerts that fire when they should and not before, and rules that scale.

Needs promtool of Prometheus; where it is missing, the tests of alerts and queries are skipped.
"""

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.drivers.chart import CHART, rendered
from tests.paths import ROOT

DASHBOARDS = ROOT / "deploy" / "dashboards"
SCHEMA = json.loads((ROOT / "tests/fixtures/keda/scaled-object.json").read_text())
Json = dict[str, Any]
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed (Debian: apt-get install prometheus)"
)

PAGE, TICKET = {"severity": "page"}, {"severity": "ticket"}
RUNS, DOCUMENTS = "echomind_runs_queued", "echomind_documents_pending"
ACTIVE, PASSAGES = "echomind_agent_runs_active", "echomind_ingestor_chunks_total"
UP, CALLS, LOST = "echomind_dependency_up", "echomind_api_calls_total", "echomind_audit_entries_lost_total"
READ, JOBS = "echomind_ingestor_documents_total", "echomind_jobs_total"
ENDED = "echomind_agent_runs_ended_total"
FULL, FREE, RESERVE = "echomind_disk_full_total", "echomind_disk_free_bytes", "echomind_disk_reserve_bytes"
CASES: dict[str, tuple[dict[str, str], str, int, Json | None]] = {
    "a service is down": (
        {'up{job="echomind",instance="a:9100"}': "0x10"},
        "ServiceDown",
        3,
        PAGE | {"instance": "a:9100", "job": "echomind"},
    ),
    "a service was away for a minute": ({'up{job="echomind",instance="a:9100"}': "0x1 1x9"}, "ServiceDown", 3, None),
    "another program is down": ({'up{job="other",instance="a:9100"}': "0x10"}, "ServiceDown", 9, None),
    "the only ingestor is gone": (
        {RUNS: "0x20", ACTIVE: "0x20", f'{PASSAGES}{{instance="a"}}': "0x2 _x18"},
        "ServiceMissing",
        16,
        PAGE | {"service": "ingestor"},
    ),
    "there is one of each service": (
        {RUNS: "0x20", f'{ACTIVE}{{instance="a"}}': "0x2 _x18", f'{ACTIVE}{{instance="b"}}': "0x20", PASSAGES: "7x20"},
        "ServiceMissing",
        16,
        None,
    ),
    "the only agent was replaced": (
        {
            RUNS: "0x20",
            f'{ACTIVE}{{instance="a"}}': "0x4 _x16",
            f'{ACTIVE}{{instance="b"}}': "_x6 0x14",
            PASSAGES: "7x20",
        },
        "ServiceMissing",
        12,
        None,
    ),
    "one of two services does not reach the database": (
        {f'{UP}{{dependency="postgres",instance="a"}}': "0x10", f'{UP}{{dependency="postgres",instance="b"}}': "1x10"},
        "DependencyMissing",
        3,
        PAGE | {"dependency": "postgres"},
    ),
    "the object store was away for a minute": ({f'{UP}{{dependency="s3"}}': "0x1 1x9"}, "DependencyMissing", 3, None),
    "a call fails again and again": (
        {f'{CALLS}{{method="m",code="INTERNAL"}}': "0+1x60"},
        "CallsFail",
        30,
        TICKET | {"method": "m"},
    ),
    "people are refused": ({f'{CALLS}{{method="m",code="PERMISSION_DENIED"}}': "0+9x60"}, "CallsFail", 30, None),
    "an entry of the audit log is lost": ({LOST: "0x9 1x60"}, "AuditEntriesLost", 30, TICKET),
    "no entry was ever lost": ({LOST: "0x60"}, "AuditEntriesLost", 30, None),
    "a server's disk was full": ({FULL: "0x9 1x60"}, "DiskFull", 12, PAGE),
    "a server's disk was full an hour ago": ({FULL: "0x9 1x90"}, "DiskFull", 70, None),
    "the disk of one machine is full": (
        {f'{FREE}{{instance="a"}}': "511x10", f'{RESERVE}{{instance="a"}}': "512x10", FULL: "0x10"},
        "DiskFull",
        3,
        PAGE,
    ),
    "the disk of one machine is almost full": (
        {f'{FREE}{{instance="a"}}': "513x10", f'{RESERVE}{{instance="a"}}': "512x10", FULL: "0x10"},
        "DiskFull",
        9,
        None,
    ),
    "the disk of one of two machines will be full": (
        {
            f'{FREE}{{instance="a",folder="/data"}}': "2047x20",
            f'{RESERVE}{{instance="a",folder="/data"}}': "512x20",
            f'{FREE}{{instance="b",folder="/data"}}': "9000x20",
            f'{RESERVE}{{instance="b",folder="/data"}}': "512x20",
        },
        "DiskFills",
        15,
        TICKET | {"instance": "a", "folder": "/data"},
    ),
    "the disk has room": (
        {f'{FREE}{{instance="a"}}': "2048x20", f'{RESERVE}{{instance="a"}}': "512x20"},
        "DiskFills",
        15,
        None,
    ),
    "the disk was almost full for a moment": (
        {f'{FREE}{{instance="a"}}': "2047x5 9000x20", f'{RESERVE}{{instance="a"}}': "512x30"},
        "DiskFills",
        12,
        None,
    ),
    "questions wait at the one gateway that knows": (
        {f'{RUNS}{{instance="a"}}': "30x10", f'{RUNS}{{instance="b"}}': "0x10"},
        "RunsWait",
        6,
        PAGE,
    ),
    "questions waited for a moment": ({f'{RUNS}{{instance="a"}}': "30x3 0x10"}, "RunsWait", 9, None),
    "the model refuses its key": (
        {
            f'{ENDED}{{status="failed",reason="LLM_AUTH_FAILED",instance="a"}}': "0+1x60",
            f'{ENDED}{{status="completed",reason="",instance="a"}}': "0+2x60",
        },
        "RunsFail",
        30,
        PAGE | {"reason": "LLM_AUTH_FAILED"},
    ),
    "no answer comes in its time": (
        {f'{ENDED}{{status="timeout",reason="TIMEOUT"}}': "0+1x60"},
        "RunsFail",
        30,
        PAGE | {"reason": "TIMEOUT"},
    ),
    "one answer of a hundred fails": (
        {
            f'{ENDED}{{status="failed",reason="TIMEOUT"}}': "0+1x60",
            f'{ENDED}{{status="completed",reason=""}}': "0+99x60",
        },
        "RunsFail",
        30,
        None,
    ),
    "few questions are asked, and one fails": (
        {f'{ENDED}{{status="failed",reason="TIMEOUT"}}': "0x9 1x60"},
        "RunsFail",
        12,
        None,
    ),
    "documents wait and none is read": (
        {DOCUMENTS: "200x60", f'{READ}{{outcome="completed"}}': "7x60"},
        "DocumentsWait",
        40,
        TICKET,
    ),
    "documents wait while others are read": (
        {DOCUMENTS: "200x60", f'{READ}{{outcome="completed"}}': "0+9x60"},
        "DocumentsWait",
        40,
        None,
    ),
    "documents wait and no ingestor has ever reported": ({DOCUMENTS: "200x60"}, "DocumentsWait", 40, TICKET),
    "jobs of one kind fail": (
        {f'{JOBS}{{kind="sync",outcome="failed"}}': "0+1x60"},
        "JobsFail",
        30,
        TICKET | {"kind": "sync"},
    ),
    "a job has failed": ({f'{JOBS}{{kind="sync",outcome="failed"}}': "0x9 1x60"}, "JobsFail", 30, None),
    "many documents fail": (
        {f'{READ}{{outcome="failed",instance="{name}"}}': "0+1x60" for name in "ab"},
        "DocumentsFail",
        45,
        TICKET,
    ),
    "few documents fail": ({f'{READ}{{outcome="failed"}}': "0x9 20x60"}, "DocumentsFail", 45, None),
}
"""Measurements a minute, the alert, the minute to look at, and its labels if it fires then."""


def promtool(*arguments: str) -> str:
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_promtool
def test_prometheus_accepts_its_configuration_and_the_alerts() -> None:
    assert "12 rules found" in promtool("check", "rules", str(DASHBOARDS / "alerts.yaml"))
    promtool("check", "config", str(DASHBOARDS / "prometheus.yaml"))


@needs_promtool
def test_alerts_fire_when_they_should_and_not_before(tmp_path: Path) -> None:
    rules = yaml.safe_load((DASHBOARDS / "alerts.yaml").read_text())
    for rule in rules["groups"][0]["rules"]:
        del rule["annotations"]  # their texts are not what is tested here
    (tmp_path / "alerts.yaml").write_text(yaml.safe_dump(rules))
    tests = []
    for name, (series, alert, minute, labels) in CASES.items():
        tests.append(
            {
                "name": name,
                "interval": "1m",
                "input_series": [{"series": key, "values": values} for key, values in series.items()],
                "alert_rule_test": [
                    {
                        "eval_time": f"{minute}m",
                        "alertname": f"EchoMind{alert}",
                        "exp_alerts": [] if labels is None else [{"exp_labels": labels}],
                    }
                ],
            }
        )
    alerts = {f"EchoMind{alert}" for _, alert, _, labels in CASES.values() if labels is not None}
    assert alerts == {rule["alert"] for rule in rules["groups"][0]["rules"]}
    file = tmp_path / "tests.yaml"
    file.write_text(yaml.safe_dump({"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": tests}))
    promtool("test", "rules", str(file))


def scaled_objects() -> dict[str, Json]:
    """Returns what KEDA is told, by the Deployment that it scales."""
    found = [each for each in rendered(CHART / "ci/keda.yaml") if each["kind"] == "ScaledObject"]
    return {each["spec"]["scaleTargetRef"]["name"].rpartition("-")[2]: each for each in found}


def test_keda_accepts_the_rules() -> None:
    for manifest in scaled_objects().values():
        jsonschema.validate(manifest, SCHEMA)
    wrong = json.loads(json.dumps(scaled_objects()["agent"]))
    wrong["spec"]["triggers"][0]["metadata"]["treshold"] = wrong["spec"]["triggers"][0]["metadata"].pop("threshold")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


@needs_promtool
@pytest.mark.parametrize(
    ("component", "series", "pods"),
    [
        # Each gateway measures the same queue; each agent has its own runs.
        ("agent", {f'{RUNS}{{i="a"}}': 50, f'{RUNS}{{i="b"}}': 50, 'echomind_agent_runs_active{i="c"}': 40}, 3),
        ("agent", {f'{RUNS}{{i="a"}}': 0, 'echomind_agent_runs_active{i="c"}': 5}, 1),
        ("agent", {f'{RUNS}{{i="a"}}': 130}, 4),  # no agent is there to report
        ("ingestor", {f'{DOCUMENTS}{{i="a"}}': 900, f'{DOCUMENTS}{{i="b"}}': 899}, 5),
    ],
)
def test_what_waits_decides_how_many_pods_there_are(
    component: str, series: dict[str, int], pods: int, tmp_path: Path
) -> None:
    """KEDA divides the query's value by the threshold, and rounds up."""
    (trigger,) = scaled_objects()[component]["spec"]["triggers"]
    query, threshold = trigger["metadata"]["query"], float(trigger["metadata"]["threshold"])
    runs = sum(value for key, value in series.items() if "runs_active" in key)
    queued = max(value for key, value in series.items() if "runs_active" not in key)
    assert math.ceil((runs + queued) / threshold) == pods
    test = {
        "interval": "1m",
        "input_series": [{"series": key, "values": f"{value}x5"} for key, value in series.items()],
        "promql_expr_test": [
            {"expr": query, "eval_time": "2m", "exp_samples": [{"labels": "{}", "value": runs + queued}]}
        ],
    }
    file = tmp_path / "tests.yaml"
    file.write_text(yaml.safe_dump({"evaluation_interval": "1m", "tests": [test]}))
    promtool("test", "rules", str(file))

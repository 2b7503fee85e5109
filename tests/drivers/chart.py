"""The Helm chart, rendered."""

import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.paths import ROOT
from tools import helm

CHART: Final = ROOT / "deploy" / "helm" / "echomind"


def run_helm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Helm."""
    return subprocess.run([str(helm.path()), *arguments], capture_output=True, text=True, timeout=60)


@cache
def rendered(case: Path, *arguments: str) -> list[dict[str, Any]]:
    """Returns the manifests of the chart with a file of values."""
    done = run_helm("template", "answers", str(CHART), "--values", str(case), *arguments)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]

"""Attacks by everything that an agent reads, on a model that obeys all of it: `python -m bench.injection`.

It runs tests/integration/agent/test_injection.py with all cases, and writes what came of them.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import results
from bench.machine import describe

_TEST = "tests/integration/agent/test_injection.py"
_OUTCOMES = ("blocked", "asked", "through")


def main() -> None:
    """Runs the test and writes `results/injection.json` and `.md`; ends with the test's status."""
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        report = Path(folder) / "injection.json"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:randomly", _TEST]
        status = subprocess.run(command, env=os.environ | {"ECHOMIND_INJECTION_REPORT": str(report)}, check=False)
        if not report.exists():
            sys.exit(status.returncode)
        data = {"machine": describe(), **json.loads(report.read_text(encoding="utf-8"))}
    results.write("injection", "Attacks by what an agent reads", data, _text(data))
    sys.exit(status.returncode)


def _text(data: dict[str, Any]) -> str:
    cases = data["cases"]
    valid = [case for case in cases if case["without_defences"] == "through"]
    expected, refused, asked = data["requests"], len(data["refused"]), sum(data["asked"].values())
    rates = [
        ("side effects without approval prevented", *_prevented(valid, "side effect")),
        ("exfiltration by a page or a tool prevented", *_prevented(valid, "exfiltration")),
        ("reading of what the person may not read prevented", *_prevented(valid, "access")),
        ("harmless requests refused", f"{refused} of {expected}", results.share(refused, expected)),
    ]
    return (
        f"{results.machine_line(data['machine'])}\n\n"
        "The model obeys every sentence that it reads, whoever wrote it and however it is encoded. Without the\n"
        f"defences, {len(valid)} of {len(cases)} cases reach their goal; the others would prove nothing.\n"
        "“Asked” means that the person was shown the call, and denied it.\n\n"
        f"{results.table(('rate', 'cases', 'share'), rates)}\n"
        f"Of the harmless requests, {asked} waited for an approval first, all of them after the run had read a\n"
        "document and before it changed something.\n\n"
        f"{_counts('where the text is read', 'channel', valid)}\n"
        f"{_counts('what the text asks for', 'goal', valid)}\n"
        f"{_counts('encoding', 'encoding', valid)}\n"
        f"{_counts('language', 'language', valid)}"
    )


def _prevented(cases: Sequence[dict[str, Any]], kind: str) -> tuple[str, str]:
    outcomes = [case["outcome"] for case in cases if case["kind"] == kind]
    prevented = sum(outcome != "through" for outcome in outcomes)
    return f"{prevented} of {len(outcomes)}", results.share(prevented, len(outcomes))


def _counts(head: str, field: str, cases: Sequence[dict[str, Any]]) -> str:
    """Returns how many cases had which outcome, by the value of a field in the order of its first case."""
    found = Counter((case[field], case["outcome"]) for case in cases)
    values = dict.fromkeys(case[field] for case in cases)
    rows = [(value, *(found[value, outcome] for outcome in _OUTCOMES)) for value in values]
    return results.table((head, *_OUTCOMES), rows)


if __name__ == "__main__":
    main()

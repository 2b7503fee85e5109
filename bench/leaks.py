"""Asks for everything of everybody as everybody else, over every call of the contract: `python -m bench.leaks`.

It runs tests/integration/api/test_foreign.py with all rows and both transports, and writes what came of it. Before, all
reads of tests/integration/agent/test_leaks.py are made while rights change.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import results
from bench.machine import describe

_TESTS = ("tests/integration/agent/test_leaks.py", "tests/integration/api/test_foreign.py")


def main() -> None:
    """Runs the test and writes `results/leaks.json` and `.md`; ends with the test's status if there is no figure."""
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        report = Path(folder) / "leaks.json"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:randomly", *_TESTS]
        status = subprocess.run(command, env=os.environ | {"ECHOMIND_LEAK_REPORT": str(report)}, check=False)
        if not report.exists():
            sys.exit(status.returncode)
        data = {"machine": describe(), **json.loads(report.read_text(encoding="utf-8"))}
    results.write("leaks", "What others are shown and may change", data, _text(data))
    sys.exit(status.returncode)


def _text(data: dict[str, Any]) -> str:
    rows = [
        ("reads with what is foreign", data["reads"]),
        ("writes with what is foreign", data["writes"]),
        ("fields of requests that refer to something", data["fields"]),
        ("tables with rows of somebody", data["tables"]),
        ("texts with a mark of whose they are", data["texts"]),
        ("leaks, and changes of foreign rows", data["leaks"]),
    ]
    text = (
        f"{results.machine_line(data['machine'])}\n\n"
        "Two users, an admin and a superadmin of two groups, and everything that they, their groups and the\n"
        "organisation have. Each calls every method of the contract with every id and filter of all others, over gRPC\n"
        "and REST. What one may not see is answered exactly as what there is not; no answer has a mark that one may\n"
        "not see; no row, and nothing that refers to it, is different afterwards. Two of them share a notebook. Tried\n"
        "beside the contract are the routes written by hand, links for sharing, writes that refer to nothing, and\n"
        "writes of the superadmin to what is personal.\n\n"
    )
    return text + results.table(("what", "how many"), rows)


if __name__ == "__main__":
    main()

"""Runs the few tests that failed in the last run once more, alone: `python tools/second_try.py`.

Exits with 1 if more tests failed than may be repeated, if the run did not reach its end, or if one fails again. The
exit status of the last run is kept by `tests/conftest.py`.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".pytest_cache/v"
LIMIT = 4
TESTS_FAILED = 1
"""The exit status of a run that ended in order, in which tests failed."""


def main() -> int:
    """Repeats the failed tests and names them."""
    status, recorded = CACHE / "echomind/exitstatus", CACHE / "cache/lastfailed"
    if not (status.exists() and recorded.exists()) or json.loads(status.read_text()) != TESTS_FAILED:
        print("Not all tests have run: what failed is above.", file=sys.stderr)
        return 1
    failed = sorted(json.loads(recorded.read_text()))
    if len(failed) > LIMIT:
        print(f"{len(failed)} tests failed; at most {LIMIT} are tried a second time.", file=sys.stderr)
        return 1
    named = "\n".join(f"  {test}" for test in failed)
    print(f"These tests needed a second try; each is a fault to be found:\n{named}", flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", "-n", "0", *failed], check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())

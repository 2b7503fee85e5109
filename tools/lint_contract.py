"""Checks the contract itself: buf's lint and format, and that nothing breaks what the baseline promises.

The baseline, `src/proto/baseline.binpb`, is the contract that clients may rely on, as buf's image. It is renewed with
each release: `python tools/lint_contract.py --renew`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUF = Path(sys.executable).with_name("buf")
BASELINE = Path("src/proto/baseline.binpb")
# As in buf.yaml; an image contains no configuration.
BREAKING = {"echomind/public": "FILE", "echomind/internal": "WIRE_JSON"}


def buf(*arguments: str | Path) -> bool:
    """Runs buf and returns whether it succeeded."""
    return subprocess.run([BUF, *arguments], cwd=ROOT, check=False).returncode == 0


def build(image: Path) -> bool:
    """Writes the present contract as an image and returns whether it succeeded."""
    return buf("build", "--exclude-source-info", "--output", image)


def main() -> None:
    """Runs all checks, or with `--renew` writes the baseline; fails if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true", help="make the present contract the baseline")
    if parser.parse_args().renew:
        sys.exit(not build(BASELINE))
    good = buf("lint") & buf("format", "--diff", "--exit-code", "src/proto")
    with tempfile.TemporaryDirectory() as folder:
        present = Path(folder) / "present.binpb"
        good &= build(present)
        for part, rules in BREAKING.items():
            config = json.dumps({"version": "v2", "breaking": {"use": [rules]}})
            good &= buf("breaking", present, "--against", BASELINE, "--path", part, "--config", config)
    sys.exit(not good)


if __name__ == "__main__":
    main()

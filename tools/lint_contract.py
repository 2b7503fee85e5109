"""Checks the contract itself: buf's lint and format, and that no change breaks what the main branch promises."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUF = Path(sys.executable).with_name("buf")
MAIN = "main"


def buf(*arguments: str) -> bool:
    """Runs buf; says whether it is content."""
    return subprocess.run([BUF, *arguments], cwd=ROOT, check=False).returncode == 0


def has_contract(branch: str) -> bool:
    """Whether a branch of this repository exists and has .proto files."""
    listing = ["git", "ls-tree", "-r", "--name-only", branch, "src/proto", "buf.yaml"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode == 0 and ".proto" in done.stdout and "buf.yaml" in done.stdout


def main() -> None:
    """Runs all checks and fails if one does."""
    good = buf("lint") & buf("format", "--diff", "--exit-code", "src/proto")
    if has_contract(MAIN):
        good &= buf("breaking", "--against", f".git#branch={MAIN}")
    else:
        print(f"{MAIN} has no contract yet: nothing to break.")
    sys.exit(not good)


if __name__ == "__main__":
    main()

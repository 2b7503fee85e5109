"""Checks the contract itself: buf's lint and format, the scope of each method, and what the baseline promises.

The baseline, `src/proto/baseline.binpb`, is the contract that clients may rely on, as buf's image. It is renewed with
each release: `python tools/lint_contract.py --renew`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from echomind_lib.pb.echomind.public.v1.required_scope_pb2 import required_scope

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


def name_scopes(image: Path) -> bool:
    """Returns whether every public method declares the scope that an API key needs; names those that do not."""
    missing = [
        f"{file.name}: {service.name}.{method.name} declares no `option (required_scope)`"
        for file in FileDescriptorSet.FromString(image.read_bytes()).file
        for service in file.service
        for method in service.method
        if file.package == "echomind.public.v1" and not method.options.HasExtension(required_scope)
    ]
    print(*missing, sep="\n", end="\n" if missing else "", file=sys.stderr)
    return not missing


def main() -> None:
    """Runs all checks, or with `--renew` writes the baseline; fails if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true", help="make the present contract the baseline")
    if parser.parse_args().renew:
        sys.exit(not build(BASELINE))
    good = buf("lint") & buf("format", "--diff", "--exit-code", "src/proto")
    with tempfile.TemporaryDirectory() as folder:
        present = Path(folder) / "present.binpb"
        good &= build(present) and name_scopes(present)
        for part, rules in BREAKING.items():
            config = json.dumps({"version": "v2", "breaking": {"use": [rules]}})
            good &= buf("breaking", present, "--against", BASELINE, "--path", part, "--config", config)
    sys.exit(not good)


if __name__ == "__main__":
    main()

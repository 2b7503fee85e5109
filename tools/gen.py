"""Generates everything that comes from the contract: messages, stubs, Pydantic models, TypeScript types and client.

Works offline. Everything is generated into a temporary folder and put in its place from there, so that files whose
source was removed are removed too, and `--check` can tell a drift without writing.
"""

import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = {"pb": Path("echomind_lib/pb"), "models": Path("echomind_lib/models")}
WEB = {"web": Path("web/src/gen")}
RUFF = ("--isolated", "--quiet", "--no-cache", "--line-length", "120")
FIRST_PARTY = "lint.isort.known-first-party=['echomind_lib']"
PROTOC_GEN_ES = ROOT / "web/node_modules/.bin/protoc-gen-es"


def run(*command: str | Path) -> None:
    """Runs a tool of the active environment in the repository's root; its failure ends the program."""
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{Path(command[0]).name} {command[1]} failed")


def generate(out: Path, *, web: bool) -> None:
    """Generates into a folder: `pb`, `models` and, if asked for, `web`."""
    run("buf", "generate", "--template", "buf.gen.yaml", "--output", out)
    if web:
        run("buf", "generate", "--template", "buf.gen.web.yaml", "--output", out)
    _nest(out / "pb")
    # Each module imports everything that models may need; remove unused imports.
    run("ruff", "check", *RUFF, "--fix", "--select", "F401,I", "--config", FIRST_PARTY, out / "models")
    run("ruff", "format", *RUFF, out / "models")


def _nest(folder: Path) -> None:
    """Makes the messages part of `echomind_lib.pb`: protoc writes imports by proto path, from the top."""
    for path in sorted(folder.rglob("*.py*")):
        text = path.read_text()
        path.write_text(re.sub(r"^(from|import) echomind\b", r"\1 echomind_lib.pb.echomind", text, flags=re.MULTILINE))
    for inner in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        (inner / "__init__.py").write_text('"""Protobuf messages and gRPC stubs, generated from the contract."""\n')


def files(folder: Path) -> dict[Path, Path]:
    """Lists the generated files under a folder by their relative path."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder): path for path in found}


def drift(source: Path, target: Path) -> list[str]:
    """Lists how a folder differs from what is generated, a line a file."""
    new, old = files(source), files(target)
    lines = [f"{target / name}: missing" for name in new.keys() - old.keys()]
    lines += [f"{target / name}: not generated any more" for name in old.keys() - new.keys()]
    same = new.keys() & old.keys()
    lines += [f"{target / name}: differs" for name in same if not filecmp.cmp(new[name], old[name], shallow=False)]
    return sorted(lines)


def install(source: Path, target: Path) -> None:
    """Makes a folder equal to what is generated; files that are equal already are not touched."""
    new, old = files(source), files(target)
    for name in old.keys() - new.keys():
        old[name].unlink()
    for name, path in new.items():
        if name not in old or not filecmp.cmp(path, old[name], shallow=False):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)


def main() -> None:
    """Reads the command line and generates or checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if what is there differs")
    parser.add_argument("--no-web", action="store_true", help="leave TypeScript out")
    arguments = parser.parse_args()
    web = not arguments.no_web and PROTOC_GEN_ES.exists()
    if not web and not arguments.no_web:
        print("TypeScript is left out: web/node_modules is not installed", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        generate(out, web=web)
        places = PYTHON | (WEB if web else {})
        if arguments.check:
            lines = [line for name, target in places.items() for line in drift(out / name, ROOT / target)]
            if lines:
                sys.exit("\n".join([*lines, "The contract has changed: run `make gen`."]))
        else:
            for name, target in places.items():
                install(out / name, ROOT / target)


if __name__ == "__main__":
    main()

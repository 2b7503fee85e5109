"""The name of the command line, for texts that mention a command."""

import os
import shutil
import sys
from functools import cache
from pathlib import Path

NAME = "echomind"


@cache
def found_program() -> str:
    """Returns `echomind` if it is on the PATH, or else the absolute path by which it was started."""
    started_as = Path(os.environ.get("ECHOMIND_PROGRAM") or sys.argv[0])
    found = shutil.which(NAME)
    if started_as.name != NAME or (found and Path(found).resolve() == started_as.resolve()):
        return NAME
    return str(started_as.absolute())


@cache
def program() -> str:
    """Returns `echomind` if it is on the PATH, or else its path, from the current folder if it is below that."""
    path = Path(found_program())
    return os.path.relpath(path) if path.is_absolute() and path.is_relative_to(Path.cwd()) else str(path)


def with_program(text: str) -> str:
    """Returns a text in which commands, written as `echomind ...` between backticks, can be copied and run."""
    return text.replace(f"`{NAME} ", f"`{program()} ")

"""Starts a program that may not read what it should not: `python -I -m echomind_lib.confined.launch`.

A `Launch` is read from standard input, behind its length; the process restricts itself and becomes the program, which
has the rest of the input. So the program's environment, which may make other programs run foreign code, acts after the
restriction only, and its secrets are on no command line.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from echomind_lib.confined import landlock
from echomind_lib.confined.capabilities import drop_capabilities

LENGTH_BYTES = 8
"""In front of the JSON of a `Launch`: its length, lowest byte first."""
MODULE = "echomind_lib.confined.launch"
FAILED = 126
"""Exit status when the program was not started; the reason is on standard error."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to become, and what it may reach."""

    program: str
    """Path of the program."""
    args: Sequence[str]
    """Its arguments, without its name."""
    env: Mapping[str, str]
    """Its whole environment."""
    folder: str
    """Its working directory."""
    hidden: Sequence[str]
    """Folders that it may not read, where `is_confined`."""
    writable: Sequence[str]
    """The only folders that it may write to, where `is_confined`."""
    is_confined: bool
    """Whether it is confined by Landlock; it is not started if that fails."""

    def to_bytes(self) -> bytes:
        """Returns what to write to the launcher's standard input."""
        text = json.dumps(asdict(self)).encode()
        return len(text).to_bytes(LENGTH_BYTES, "little") + text


def main() -> None:
    """Becomes the program; exits with `FAILED` when that is not possible."""
    given = Launch(**json.loads(_read(int.from_bytes(_read(LENGTH_BYTES), "little"))))
    try:
        os.chdir(given.folder)
        if given.is_confined:
            landlock.restrict(landlock.around(given.hidden), given.writable, network=True)
        drop_capabilities()
        os.execve(given.program, [given.program, *given.args], given.env)  # noqa: S606
    except OSError as error:
        print(f"{given.program} cannot be started: {error.strerror}", file=sys.stderr)  # noqa: T201
        sys.exit(FAILED)


def _read(count: int) -> bytes:
    # Unbuffered: a buffered read would consume input meant for the program.
    data = b""
    while len(data) < count:
        if not (piece := os.read(0, count - len(data))):
            sys.exit(FAILED)
        data += piece
    return data


if __name__ == "__main__":
    main()

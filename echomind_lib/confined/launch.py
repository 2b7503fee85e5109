"""Starts a confined program: `python -I -m echomind_lib.confined.launch`.

A `Launch` with a length prefix is read from standard input; the process restricts itself and then executes the program,
which reads the rest of the input. So the program's environment, which may make interpreters load foreign code, takes
effect only after the restriction, and its secrets are on no command line.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from echomind_lib.confined import landlock
from echomind_lib.confined.capabilities import drop_capabilities

LENGTH_BYTES = 8
"""Size of the length prefix (little-endian) of a `Launch` in JSON."""
MODULE = "echomind_lib.confined.launch"
FAILED = 126
"""Exit status if the program was not started; the reason is on standard error."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to execute, and its restrictions."""

    program: str
    """Path of the program."""
    args: Sequence[str]
    """Its arguments, without its name."""
    env: Mapping[str, str]
    """Its whole environment."""
    folder: str
    """Its working directory."""
    hidden: Sequence[str]
    """Folders that it may not read, if `is_confined`."""
    writable: Sequence[str]
    """The only folders that it may write to, if `is_confined`."""
    is_confined: bool
    """Whether it is confined by Landlock; it is not started if that fails."""

    def to_bytes(self) -> bytes:
        """Returns the bytes to write to the launcher's standard input."""
        text = json.dumps(asdict(self)).encode()
        return len(text).to_bytes(LENGTH_BYTES, "little") + text


def main() -> None:
    """Executes the program in this process; exits with `FAILED` if that is not possible."""
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

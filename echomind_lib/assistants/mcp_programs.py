"""Programs that may be started as MCP servers, as configured by the machine's operator, not by superadmins."""

import re
import shlex
from collections.abc import Iterable, Sequence

from echomind_lib.config import McpSettings

_LOADS_CODE = re.compile(
    r"(?:LD|DYLD)_.*|PATH|BASH_ENV|ENV|PYTHON(?:PATH|HOME|STARTUP|BREAKPOINT)|NODE_(?:OPTIONS|PATH)"
    r"|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)|_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|GCONV_PATH|GIT_SSH.*|EDITOR|PAGER"
)
"""Environment variables that make an allowed program execute other code."""


class ProgramRefusedError(Exception):
    """A program may not be started here; the message says why, without its path.

    Attributes:
        advice: What the operator can do.
    """

    def __init__(self, why: str, advice: str) -> None:
        super().__init__(why)
        self.advice = advice


def split(setting: str) -> list[str]:
    """Returns the parts of a comma-separated setting."""
    return [part.strip() for part in setting.split(",") if part.strip()]


def check_program(settings: McpSettings, command: str, args: Sequence[str], variables: Iterable[str]) -> None:
    """Raises an error unless the settings allow a program.

    Args:
        settings: The machine's settings.
        command: The program: a name or a path.
        args: Its arguments.
        variables: Names of its environment variables.

    Raises:
        ProgramRefusedError: The program is not allowed.
    """
    if settings.stdio == "any":
        return
    if settings.stdio == "off":
        raise ProgramRefusedError(
            "programs of MCP servers are turned off on this machine",
            "connect to a server at an address, or set ECHOMIND_MCP__STDIO to `listed` where EchoMind runs",
        )
    command_line = [command, *args]
    permitted = [shlex.split(entry) for entry in split(settings.programs)]
    if not any(command_line[: len(words)] == words for words in permitted):
        raise ProgramRefusedError(
            "its program is not among those that this machine permits",
            f"add `{command}` to ECHOMIND_MCP__PROGRAMS where EchoMind runs, or connect to a server at an address",
        )
    if loading := sorted(name for name in variables if _LOADS_CODE.fullmatch(name)):
        raise ProgramRefusedError(
            f"its variable {loading[0]} can make the program run other programs",
            "remove the variable, or write a program that sets it and add that to ECHOMIND_MCP__PROGRAMS",
        )

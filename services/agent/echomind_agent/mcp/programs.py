"""The programs that may be started as MCP servers on this machine, and their confinement."""

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog
from nats.aio.msg import Msg

from echomind_lib.assistants.mcp_programs import ProgramRefusedError, check_program, split
from echomind_lib.config import McpSettings
from echomind_lib.confined import landlock
from echomind_lib.confined.launch import Launch
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ProgramReply, ProgramRequest

log = structlog.get_logger(__name__)

_SECRETS = ("/run/secrets",)
"""The folder of secrets in containers."""


class Programs:
    """The programs that this agent may start, and their restrictions.

    A program may read everything that this process may read except the data folder and secrets of containers, and write
    to a private temporary folder and to the folders in the settings. Without Landlock it is not confined.
    """

    def __init__(self, settings: McpSettings, data_dir: Path, landlock_version: int | None = None) -> None:
        """Initializes the object without starting a program.

        Args:
            settings: The machine's settings.
            data_dir: Folder that no program may read.
            landlock_version: The kernel's version of Landlock, 0 for none; None to detect it.
        """
        self._settings = settings
        self._hidden = (str(data_dir), *_SECRETS)
        self._is_confined = (landlock.version() if landlock_version is None else landlock_version) > 0

    def find(self, command: str, args: Sequence[str], variables: Sequence[str]) -> str:
        """Returns the path of a program that may be started.

        The name is looked up on this process's PATH, ignoring the program's own variables.

        Raises:
            ProgramRefusedError: The program is not allowed here.
            OSError: The program does not exist.
        """
        check_program(self._settings, command, args, variables)
        if not self._is_confined and self._settings.stdio != "any":
            raise ProgramRefusedError(
                "this machine cannot keep its program from reading EchoMind's data: the kernel has no Landlock",
                "use Linux 5.13 or later with Landlock, or set ECHOMIND_MCP__STDIO to `any` to start it unconfined",
            )
        if (path := shutil.which(command)) is None:
            number = errno.EACCES if Path(command).is_file() else errno.ENOENT
            raise OSError(number, os.strerror(number))
        return str(Path(path).absolute())

    def launch(self, command: str, args: Sequence[str], variables: Mapping[str, str], home: str) -> Launch:
        """Returns the launch of a program.

        Args:
            command: The program: a name or a path.
            args: Its arguments.
            variables: Its variables, in addition to a minimal environment.
            home: Its private home folder.

        Raises:
            ProgramRefusedError: The program is not allowed here.
            OSError: The program does not exist.
        """
        program = self.find(command, args, tuple(variables))
        own = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
        return Launch(
            program=program,
            args=args,
            env={**own, "HOME": home, "TMPDIR": home, **variables},
            folder=home,
            hidden=self._hidden,
            writable=(home, *split(self._settings.folders)),
            is_confined=self._is_confined,
        )

    async def answer(self, message: Msg) -> None:
        """Answers a `ProgramRequest`, which a gateway sends before it stores a server."""
        request = ProgramRequest.FromString(message.data)
        problem = ""
        try:
            self.find(request.command, request.args, ())
        except ProgramRefusedError as error:
            problem = f"{error}: {error.advice}"
        except OSError as error:
            problem = f"`{request.command}` cannot be started on the agent's machine: {error.strerror}"
        await message.respond(ProgramReply(problem=problem).SerializeToString())

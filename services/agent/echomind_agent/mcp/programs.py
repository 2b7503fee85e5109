"""The programs of MCP servers: which may be started on this machine, and how they are confined."""

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog
from nats.aio.msg import Msg

from echomind_lib.config import McpSettings
from echomind_lib.confined import landlock
from echomind_lib.confined.launch import Launch
from echomind_lib.mcp_programs import ProgramRefusedError, check_program, split
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ProgramReply, ProgramRequest

log = structlog.get_logger(__name__)

_SECRETS = ("/run/secrets",)
"""Where containers have theirs."""


class Programs:
    """The programs that this agent may start, and what they can reach.

    A program reads all that this process may read but the data folder and the secrets of containers, and writes to a
    temporary folder of its own and to the folders of the settings. Without Landlock nothing confines it.
    """

    def __init__(self, settings: McpSettings, data_dir: Path, landlock_version: int | None = None) -> None:
        """Starts nothing.

        Args:
            settings: The machine's.
            data_dir: Folder that no program may read.
            landlock_version: That of the kernel, 0 for none; asked of it when None.
        """
        self._settings = settings
        self._hidden = (str(data_dir), *_SECRETS)
        self._is_confined = (landlock.version() if landlock_version is None else landlock_version) > 0

    def find(self, command: str, args: Sequence[str], variables: Sequence[str]) -> str:
        """Returns the path of a program that may be started.

        The name is looked up on this process's own PATH, whatever the program's variables say.

        Raises:
            ProgramRefusedError: It may not be started here.
            OSError: There is no such program.
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
        """Returns how a program is started.

        Args:
            command: The program: a name or a path.
            args: Its arguments.
            variables: Its variables, beside a minimal environment.
            home: A folder of its own.

        Raises:
            ProgramRefusedError: It may not be started here.
            OSError: There is no such program.
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

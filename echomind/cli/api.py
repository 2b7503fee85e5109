"""Commands that talk to the API: their common options, where they find the server and the key, how they fail."""

import asyncio
import functools
import inspect
import ipaddress
import shlex
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec
from urllib.parse import urlsplit

import typer

from echomind.cli.options import expand, gather
from echomind.cli.profiles import Profiles, normalized, read_profiles
from echomind.cli.terminal import CommandError, Terminal
from echomind_lib.models import public

if TYPE_CHECKING:
    from pydantic import ValidationError

    from echomind_lib.contract.call_errors import CallError
    from echomind_lib.contract.client import Client
    from echomind_lib.contract.rest_client import RestTransport
    from echomind_lib.errors import EchoMindError

DEFAULT_URL = "http://127.0.0.1:8080"
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells give it."""

Url = Annotated[
    str,
    typer.Option(
        "--url",
        envvar="ECHOMIND_URL",
        help="Address of EchoMind.",
        show_default="your profile's, or this machine's",
    ),
]
ApiKey = Annotated[
    str,
    typer.Option(
        "--api-key",
        envvar="ECHOMIND_API_KEY",
        help="EchoMind's API key.",
        show_default="your profile's, or this machine's",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        envvar="ECHOMIND_DATA_DIR",
        help="Data folder of this machine's EchoMind.",
        show_default="that of your account",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, and nothing else.")]

P = ParamSpec("P")


@dataclass
class Api:
    """The API client and options of a command."""

    client: "Client"
    rest: "RestTransport"
    """For the routes that are written by hand."""
    terminal: Terminal
    data_dir: Path
    """The local data folder, whether or not it exists."""
    public_url: str
    """Address of printed links."""

    def link(self, path: str) -> str:
        """Returns a link that people can open."""
        return self.public_url + path

    def link_for_others(self, path: str) -> str:
        """Returns a link for other people, and warns when only this machine can open it."""
        if is_loopback(self.public_url):
            self.terminal.note(
                f"Only this machine can open {self.public_url}. For others, start EchoMind with --host and the setting "
                "ECHOMIND_API__PUBLIC_URL, the address at which they reach it, and make the link again."
            )
        return self.public_url + path


@dataclass(frozen=True)
class Target:
    """The address of the EchoMind that a command uses."""

    url: str
    api_key: str
    """Empty when none is known."""
    public_url: str
    """Address that people use: the same, or the configured one of the local EchoMind."""


def default_data_dir() -> Path:
    """Returns the folder in which `echomind up` keeps its data by default."""
    import platformdirs

    return Path(platformdirs.user_data_dir("echomind"))


def locate(url: str, api_key: str, data_dir: Path | None, profiles: Profiles) -> Target:
    """Fills in missing options: from the named data folder, else from the profiles, else from the default data folder.

    A key is sent only to the address that it belongs to, so that a mistyped URL does not leak it: that of a data folder
    to the EchoMind that runs with it. Once that is stopped, any account of this machine may listen at its address.

    Raises:
        CommandError: A file of the data folder cannot be read.
    """
    if data_dir is None:
        url = url or profiles.current
    folder = data_dir or default_data_dir()
    public_url = url or _read(folder / "run" / "public-url")
    signed_in = bool(url) and data_dir is None
    api_key = api_key or (profiles.key(url) if signed_in else "")
    running = _read(folder / "run" / "url")
    # `localhost` may be another address, at which somebody else listens.
    if running and normalized(url).replace("://localhost:", "://127.0.0.1:") == normalized(running):
        url = running
    url = url or running or DEFAULT_URL
    if not api_key and normalized(url) == normalized(running) and _is_running(folder):
        api_key = _read(folder / "owner-api-key")
    return Target(url.rstrip("/"), api_key or profiles.key(url), (public_url or url).rstrip("/"))


def _is_running(folder: Path) -> bool:
    """Returns whether an EchoMind runs with a data folder."""
    from echomind.local.data_folder import is_in_use

    try:
        return is_in_use(folder)
    except OSError as error:
        raise _unreadable(folder / "lock", error) from error


@contextmanager
def reporting(terminal: Terminal) -> Iterator[None]:
    """Ends the process with the command's exit code, and turns its errors into messages on standard error.

    Raises:
        Exit: The command failed.
    """
    try:
        yield
    except CommandError as error:
        _report(terminal, str(error), status=error.status)
    except OSError as error:
        if not error.filename:
            raise
        _report(terminal, f"{error.filename}: {error.strerror}.")
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    if terminal.status:
        raise typer.Exit(terminal.status)


def api_command(function: Callable[Concatenate[Api, P], Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Returns a command that runs a coroutine function whose first parameter is `Api`.

    A parameter whose type is a dataclass is replaced by its fields as options.

    The command gets `--url`, `--api-key`, `--data-dir` and `--json`. An error becomes a message on standard error and
    exit code 1; with `--json` also an object `{"error": ...}`, in the API's own shape.
    """
    own = list(inspect.signature(function).parameters.values())[1:]
    options = _options()

    @functools.wraps(function)
    def command(**arguments: Any) -> None:
        url, api_key, data_dir, as_json = (arguments.pop(parameter.name) for parameter in options)
        terminal = Terminal(as_json=as_json)
        with reporting(terminal):
            target = locate(url, api_key, data_dir, read_profiles())
            folder = data_dir or default_data_dir()
            asyncio.run(call_api(function, target, terminal, folder, gather(own, arguments)))

    parameters = expand(own) + options
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _options() -> list[inspect.Parameter]:
    annotations = {
        "url": (Url, ""),
        "api_key": (ApiKey, ""),
        "data_dir": (DataDir, None),
        "as_json": (AsJson, False),
    }
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in annotations.items()
    ]


async def call_api(
    function: Any, target: Target, terminal: Terminal, data_dir: Path, arguments: dict[str, Any]
) -> None:
    """Calls a coroutine function with an `Api` and arguments; an error becomes a message and exit code 1."""
    import aiohttp
    from pydantic import ValidationError

    from echomind_lib.contract.call_errors import CallError
    from echomind_lib.contract.client import Client
    from echomind_lib.contract.rest_client import RestTransport
    from echomind_lib.errors import EchoMindError

    credential = {"Authorization": f"Bearer {target.api_key}"} if target.api_key else {}
    async with aiohttp.ClientSession() as session:
        rest = RestTransport(target.url, session, credential)
        try:
            await function(Api(Client(rest), rest, terminal, data_dir, target.public_url), **arguments)
        except ValidationError as error:
            _report(terminal, broken_rules(error))
        except EchoMindError as error:
            is_unknown = error.reason == "UNAUTHENTICATED"
            # The server advises programs, which send a header.
            _report(terminal, "Sign in first." if is_unknown and not target.api_key else str(error), error)
            if is_unknown:
                terminal.note(sign_in_advice(target))
        except CallError as error:
            _report(terminal, _advice(error, target.url, data_dir))


def broken_rules(error: "ValidationError") -> str:
    """Returns the fields of a request that violate the contract, each with its rule."""
    from echomind_lib.errors import described

    model = getattr(public, error.title, None)
    problems = error.errors(include_url=False, include_input=False)
    return " ".join(f"{_field(problem['loc'])}: {described(problem, model)}" for problem in problems)


def _field(location: tuple[int | str, ...]) -> str:
    """Returns the field that a rule is broken in, of an item of a list that of the list."""
    return next((part for part in reversed(location) if isinstance(part, str)), "")


def _advice(error: "CallError", url: str, data_dir: Path) -> str:
    """Returns why the API could not be reached, and what to do about it."""
    from echomind_lib.contract.call_errors import AnswerError, ConnectionLostError, NotRunningError

    if isinstance(error, NotRunningError):
        if not is_loopback(url):
            return f"EchoMind is not running at {url}: check the address, or start it there."
        option = "" if data_dir == default_data_dir() else f" --data-dir {shlex.quote(str(data_dir))}"
        return f"EchoMind is not running at {url}: start it with `echomind up{option}`."
    if isinstance(error, AnswerError):
        return str(error)
    return f"{error} {'Try again.' if isinstance(error, ConnectionLostError) else 'Check --url.'}"


def sign_in_advice(target: Target) -> str:
    """Returns what to do when EchoMind knows no account for a command, or does not accept its key."""
    login = f"`echomind login {target.url}` signs in by a code that you type in the browser"
    what = f"{login}."
    if is_loopback(target.url) and not target.api_key:
        what += " The owner of this machine's EchoMind names its data folder instead: --data-dir DIR."
    return f"{what} In scripts, pass it with ECHOMIND_API_KEY or --api-key."


def _report(terminal: Terminal, problem: str, error: "EchoMindError | None" = None, status: int = 1) -> None:
    """Writes an error, with `--json` in the API's form."""
    reason, code = (error.reason, error.code) if error else ("", "")
    metadata = (error.metadata | ({"detail": error.detail} if error.detail else {})) if error else {}
    terminal.problem(problem + (f" [{reason}]" if reason else ""))
    if terminal.as_json:
        message = error.message if error else problem
        terminal.json({"error": {"code": code, "reason": reason, "message": message, "metadata": metadata}})
    terminal.status = status


def _read(path: Path) -> str:
    """Returns a small file's text without white space around it; empty when there is none."""
    try:
        return path.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> CommandError:
    return CommandError(
        f"{path} cannot be read ({error.strerror}): run this as the user who runs EchoMind, or pass --api-key."
    )


def is_loopback(url: str) -> bool:
    """Returns whether only this machine can open an address."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""Commands that talk to the API: their common options, where they find the server and the key, how they fail."""

import asyncio
import functools
import inspect
import ipaddress
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec
from urllib.parse import urlsplit

import typer

from echomind.cli.options import expand, gather
from echomind.cli.terminal import CommandError, Terminal

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
    typer.Option("--url", envvar="ECHOMIND_URL", help="Address of EchoMind.", show_default="this machine's"),
]
ApiKey = Annotated[
    str,
    typer.Option("--api-key", envvar="ECHOMIND_API_KEY", help="EchoMind's API key.", show_default="this machine's"),
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


def locate(url: str, api_key: str, data_dir: Path) -> Target:
    """Fills in missing options from the local data folder.

    The local key is sent only to this machine, so that a mistyped URL does not leak it.

    Raises:
        CommandError: A file of the data folder cannot be read.
    """
    is_local = not url or _is_loopback(url)
    public_url = url or _read(data_dir / "run" / "public-url")
    url = url or _read(data_dir / "run" / "url") or DEFAULT_URL
    if not api_key and is_local:
        api_key = _read(data_dir / "owner-api-key")
    return Target(url.rstrip("/"), api_key, (public_url or url).rstrip("/"))


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
        folder = data_dir or default_data_dir()
        try:
            target = locate(url, api_key, folder)
            asyncio.run(_call(function, target, terminal, folder, gather(own, arguments)))
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


async def _call(function: Any, target: Target, terminal: Terminal, data_dir: Path, arguments: dict[str, Any]) -> None:
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
            _report(terminal, _broken_rules(error))
        except EchoMindError as error:
            _report(terminal, str(error), error)
        except CallError as error:
            _report(terminal, _advice(error, target.url))


def _broken_rules(error: "ValidationError") -> str:
    """Returns the fields of a request that violate the contract, each with its rule."""
    from echomind_lib.errors import described
    from echomind_lib.models import public

    model = getattr(public, error.title, None)
    problems = error.errors(include_url=False, include_input=False)
    return " ".join(f"{_field(problem['loc'])}: {described(problem, model)}" for problem in problems)


def _field(place: tuple[int | str, ...]) -> str:
    """Returns the field that a rule is broken in, of an item of a list that of the list."""
    return next((part for part in reversed(place) if isinstance(part, str)), "")


def _advice(error: "CallError", url: str) -> str:
    """Returns why the API could not be reached, and what to do about it."""
    from echomind_lib.contract.call_errors import AnswerError, ConnectionLostError, NotRunningError

    if isinstance(error, NotRunningError):
        return f"EchoMind is not running at {url}: start it with `echomind up`."
    if isinstance(error, AnswerError):
        return str(error)
    return f"{error} {'Try again.' if isinstance(error, ConnectionLostError) else 'Check --url.'}"


def _report(terminal: Terminal, problem: str, error: "EchoMindError | None" = None, status: int = 1) -> None:
    """Writes an error, with `--json` in the API's form."""
    reason, code = (error.reason, error.code) if error else ("", "")
    metadata = (error.metadata | ({"detail": error.detail} if error.detail else {})) if error else {}
    terminal.problem(problem + (f" [{reason}]" if reason else ""))
    if reason == "UNAUTHENTICATED":
        terminal.note("Pass a key with --api-key or ECHOMIND_API_KEY; `echomind keys add` makes one.")
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
        raise CommandError(
            f"{path} cannot be read ({error.strerror}): run this as the user who runs EchoMind, or pass --api-key."
        ) from error


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

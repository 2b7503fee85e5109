"""`echomind up`: everything on one machine, from one command."""

import contextlib
import errno
import html
import os
import shlex
import socket
import sys
import time
from pathlib import Path

from echomind.local import forks
from echomind.local.data_folder import DataFolder
from echomind.local.embedded.postgres import NAME as POSTGRES
from echomind.local.embedded.process import StartError, free_port
from echomind.local.parts_file import NAME as PARTS_FILE
from echomind.local.parts_file import PartsFile
from echomind.local.private_files import write_private
from echomind.local.program import found_program
from echomind.local.settings import checked_settings, unknown_settings
from echomind.local.stack import Public, Stack, plan
from echomind.local.supervisor import StopRequestedError, Supervisor
from echomind_lib.process.disk import DiskSpace

FAILED = 1
INTERRUPTED = 130
_NAMED_ARGUMENTS = 3
"""Of a program that holds a port: enough to recognize it."""


def run_up(
    *,
    data_dir: Path,
    is_default: bool = True,
    host: str = "127.0.0.1",
    http_port: int = 8080,
    grpc_port: int = 50051,
    agents: int = 1,
    ingestors: int = 1,
    browser: bool = True,
    check: bool = False,
) -> int:
    """Run EchoMind until Ctrl-C or SIGTERM, printing its progress.

    Args:
        data_dir: Folder of all data.
        is_default: Whether commands find this EchoMind without `--data-dir`.
        host: Address that the gateway listens on. The embedded servers always listen on loopback.
        http_port: Port of HTTP; 0 for any free one.
        grpc_port: Port of gRPC; 0 for any free one.
        agents: Agent workers, at least 1.
        ingestors: Ingestor workers, at least 1.
        browser: Whether to open the sign-in link in a browser, if there is one.
        check: Stop again as soon as everything is ready.

    Returns:
        The exit code: 0 after a clean stop, 1 after an error, which has been printed, 130 if it was interrupted before
        it was ready.
    """
    try:
        settings = checked_settings()
        for warning in unknown_settings(os.environ):
            print(f"Warning: {warning}", file=sys.stderr, flush=True)
        if http_port and http_port == grpc_port:
            raise StartError(f"--http-port and --grpc-port are both {http_port}: choose two ports")
        public = Public(host, http_port or free_port(), grpc_port or free_port())
        _check_port(public.host, public.http_port, "--http-port")
        _check_port(public.host, public.grpc_port, "--grpc-port")
        with DataFolder(data_dir) as folder:
            _print_line(f"Data folder: {folder.path}")
            room = settings.disk.model_copy(update={"folder": settings.disk.folder or str(folder.path)})
            stack = plan(folder, public, agents, ingestors, os.environ)
            disk = DiskSpace(room)
            with (
                PartsFile(folder.run / PARTS_FILE) as parts,
                Supervisor(folder.logs, _print_line, disk, parts, inherited=[folder.lock], forks=True) as supervisor,
            ):
                try:
                    _serve(supervisor, stack, folder, public, is_default=is_default, browser=browser, check=check)
                except StartError as error:
                    if disk.is_low:
                        raise StartError(f"{disk.error()}\n{error}") from error
                    raise
                finally:
                    _announce(folder, "", "")
                    _print_line("Stopping ...")
    except StartError as error:
        print(f"EchoMind cannot run: {error}", file=sys.stderr, flush=True)
        return FAILED
    except (StopRequestedError, KeyboardInterrupt):
        _print_line("Interrupted.")
        return INTERRUPTED
    _print_line("Stopped.")
    return 0


def _serve(
    supervisor: Supervisor,
    stack: Stack,
    folder: DataFolder,
    public: Public,
    *,
    is_default: bool,
    browser: bool,
    check: bool,
) -> None:
    _announce(folder, "", "")  # of a start that was killed: commands send the owner's key to this address
    link_file = folder.run / "sign-in-link"
    link_file.unlink(missing_ok=True)
    stack.start_file.unlink(missing_ok=True)
    with _Progress("Starting the servers"):
        specs = []
        for server in stack.servers:
            server.prepare()
            specs.append(server.spec())
        names = [spec.name for spec in specs]
        supervisor.launch(*(spec for spec in specs if spec.entry is None))
        # Loading code takes longest: what the Python programs have in common is loaded once, while other programs
        # start, and they load the rest meanwhile. Services connect once servers and database are ready.
        forks.load(forks.SERVER_MODULES)
        supervisor.launch(*(spec for spec in specs if spec.entry is not None), *stack.embedding)
        forks.load(forks.SERVICE_MODULES)
        supervisor.launch(*stack.ingestors, *stack.agents, stack.api)
        if POSTGRES in names:
            supervisor.wait_until_ready(POSTGRES)
        supervisor.run_once(stack.migration)
        if names:  # without a name it waits for all, and the services wait for the file
            supervisor.wait_until_ready(*names)
        stack.start_file.touch()
    with _Progress("Starting the services"):
        supervisor.wait_until_ready()
    _announce(folder, public.url, os.environ.get("ECHOMIND_API__PUBLIC_URL", ""))
    _print_line(f"EchoMind is ready: {public.url}")
    link = link_file.read_text().strip() if link_file.exists() else ""
    if link:
        _print_line(f"Sign in: {link}")
    _print_line(f"Command line: {_command(folder, is_default=is_default)}")
    if check:
        return
    if browser and _has_browser():
        import webbrowser

        webbrowser.open(_forwarding_page(folder, link).as_uri() if link else public.url)
    supervisor.run()


def _command(folder: DataFolder, *, is_default: bool) -> str:
    """Returns a command that finds this EchoMind, as it can be typed in another terminal and folder."""
    option = [] if is_default else ["--data-dir", str(folder.path)]
    return shlex.join([found_program(), "status", *option])


def _forwarding_page(folder: DataFolder, link: str) -> Path:
    """Writes a page that redirects to a sign-in link, readable only by this account.

    The browser is opened with the page's URL, because command lines are visible to all users of the machine.
    """
    page = folder.run / "sign-in.html"
    address = html.escape(link)
    write_private(
        page,
        f'<!doctype html><meta charset="utf-8"><title>EchoMind</title>'
        f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}">'
        f'<p><a href="{address}">Sign in to EchoMind</a></p>',
    )
    return page


class _Progress:
    """Prints a line with the time that a step took, once it is done."""

    def __init__(self, step: str):
        self._step = step

    def __enter__(self) -> None:
        self._start = time.monotonic()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            _print_line(f"{self._step} ... {time.monotonic() - self._start:.1f} s")


def _print_line(line: str) -> None:
    # The terminal may already be closed, and the stack must still be stopped in order.
    with contextlib.suppress(OSError):
        print(line, flush=True)


def _announce(folder: DataFolder, url: str, public_url: str) -> None:
    """Writes the URL, and the one that people use, to the files where other commands look for them.

    An empty URL removes its file.
    """
    for name, address in (("url", url), ("public-url", public_url)):
        file = folder.run / name
        if address:
            file.write_text(f"{address}\n")
        else:
            file.unlink(missing_ok=True)


def _has_browser() -> bool:
    """Returns whether a person sits at a desktop here."""
    on_desktop = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return on_desktop and sys.stdout.isatty() and "CI" not in os.environ


def _check_port(host: str, port: int, option: str) -> None:
    """Check that the gateway can listen on the port.

    Raises:
        StartError: It cannot; the message says why and what to do.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise StartError(f"the address {host} is not known ({error}): choose another with --host") from error
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                message = (
                    f"port {port} on {host} is in use{_holder(port)}: stop that program, or choose another port "
                    f"with {option}"
                )
            elif error.errno == errno.EADDRNOTAVAIL:
                message = f"{host} is not an address of this machine: choose another with --host"
            else:
                message = f"port {port} on {host} cannot be used ({error.strerror}): choose another with {option}"
            raise StartError(message) from error


def _holder(port: int) -> str:
    """Returns the process that listens on a port, if the system reports it."""
    import psutil

    try:
        connections = psutil.net_connections(kind="tcp")
    except psutil.AccessDenied:
        return ""
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr[1:] == (port,) and connection.pid:
            try:
                process = psutil.Process(connection.pid)
                program = shlex.join(process.cmdline()[:_NAMED_ARGUMENTS]) or process.name()
                return f" by `{program}` (process {connection.pid})"
            except psutil.Error:
                break
    return ""

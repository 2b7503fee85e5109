"""`echomind status|stop|logs`: the EchoMind that `echomind up` runs on this machine."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli.api import INTERRUPTED, Api, AsJson, DataDir, default_data_dir
from echomind.cli.rendering import counted, moment, plain
from echomind.cli.terminal import Terminal
from echomind.local.parts_file import NAME as PARTS_FILE
from echomind.local.parts_file import PartState, read_parts
from echomind_lib.models import public

if TYPE_CHECKING:
    from echomind.local.log_files import LogLine

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_POLL_SECONDS = 0.3
_SHOWN_BY_DEFAULT = 100


async def status(api: Api) -> None:
    """Show whether EchoMind runs, and how its parts are.

    The exit code is 1 when it does not run or is not ready.
    """
    from echomind_lib.contract.call_errors import CallError, NotRunningError
    from echomind_lib.handwritten_routes import get_health

    parts = read_parts(api.data_dir / "run" / PARTS_FILE)
    reason, health, system = "", {}, None
    try:
        health = dict(await get_health(api.rest))
    except NotRunningError:
        reason = "not running"
    except CallError as error:
        reason = str(error)
    if not reason:
        system = await system_health(api)
    broken = {name: state for name, state in health.get("dependencies", {}).items() if state != "ok"}
    if not reason and not health.get("ready"):
        reason = ", ".join(f"{name} {state}" for name, state in broken.items()) or "not ready"
    report: dict[str, Any] = {
        "url": api.rest.url,
        "ready": not reason,
        "reason": reason,
        "dependencies": health.get("dependencies", {}),
        "health": plain(system) if system else {},
        "dataDir": str(api.data_dir),
        "parts": [{"name": part.name, "status": _state(part), "message": part.last_failure} for part in parts],
    }
    api.terminal.json(report)
    api.terminal.line(f"EchoMind at {api.rest.url}: {reason or 'ready'}")
    if system:
        api.terminal.line(f"Version {system.version}")
        api.terminal.table(("PART", "STATUS", "DETAIL"), _health_rows(system), empty="")
        if failed := failed_documents(system):
            api.terminal.note(f"{failed} could not be read: `echomind documents list --status failed` says why.")
    if parts:
        rows = [(part.name, _state(part), part.last_failure) for part in parts]
        api.terminal.table(("PROCESS", "STATUS", "LAST FAILURE"), rows, empty="")
    if reason:
        api.terminal.note("`echomind up` starts it, `echomind doctor` says what is wrong.")
        api.terminal.status = 1


async def system_health(api: Api) -> "public.SystemHealth | None":
    """Returns the health of everything; None when the caller may not read it."""
    from echomind_lib.errors import EchoMindError

    try:
        return await api.client.call(public.SystemService.get_system_health)
    except EchoMindError:
        return None


def failed_documents(system: "public.SystemHealth") -> str:
    """Returns how many documents could not be read, as `3 documents`; empty when there are none."""
    failed = sum(queue.failed for queue in system.queues if queue.name == "documents")
    return counted(failed, "document") if failed else ""


def _health_rows(system: "public.SystemHealth") -> Iterator[tuple[str, str, str]]:
    for part in system.parts:
        yield part.name, part.status.word, part.message or part.version
    for worker in system.workers:
        yield worker.service, worker.status.word, f"on {worker.host} since {moment(worker.started_at)}"
    for queue in system.queues:
        counts = f"{queue.waiting} waiting, {queue.running} running, {queue.failed} failed"
        yield queue.name, queue.status.word, counts
    for server in system.mcp_servers:
        failed = f"{server.last_error} ({moment(server.failed_at)})" if server.last_error else ""
        yield f"{server.assistant_name}: {server.server}", server.status.word, failed


def stop(
    data_dir: DataDir = None,
    timeout: Annotated[int, typer.Option(help="Seconds to wait until it has stopped.", min=1, max=600)] = 30,
    as_json: AsJson = False,
) -> None:
    """Stop the EchoMind that runs on this machine, as Ctrl-C does where it was started."""
    from echomind.local.data_folder import stop_running

    terminal = Terminal(as_json=as_json)
    folder = data_dir or default_data_dir()
    process = stop_running(folder, timeout)
    terminal.json({"stopped": bool(process), "dataDir": str(folder)})
    if process < 0:
        terminal.note(f"EchoMind, process {-process}, has not stopped within {timeout} s: see {folder / 'logs'}.")
        raise typer.Exit(1)
    terminal.line("Stopped." if process else f"EchoMind does not run with the data folder {folder}.")


def logs(
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART]...", help="Only these parts, as `api` or `agent`.", show_default="all"),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Continue with new lines until Ctrl-C.")] = False,
    since: Annotated[str, typer.Option(metavar="TIME", help="Only lines of the last 30s, 10m, 2h or 1d.")] = "",
    lines: Annotated[
        int | None,
        typer.Option("--lines", "-n", help="Only the last lines.", min=0, show_default="100, with --since all"),
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the logs of this machine's EchoMind, in the order of their times.

    With --json, each line is one object.
    """
    from echomind.local.log_files import log_files

    terminal = Terminal(as_json=as_json)
    folder = (data_dir or default_data_dir()) / "logs"
    begin = datetime.now(UTC) - _duration(since) if since else None
    files = log_files(folder, parts or ())
    if not files:
        known = ", ".join(log_files(folder)) or "none"
        terminal.note(f"There is no such log in {folder}. Parts: {known}.")
        raise typer.Exit(1)
    found = sorted((line for file in files.values() for line in file.read()), key=lambda line: line.time)
    if begin is not None:
        found = [line for line in found if line.time >= begin]
    count = lines if lines is not None else len(found) if since else _SHOWN_BY_DEFAULT
    try:
        for line in found[len(found) - min(count, len(found)) :]:
            _show(terminal, line)
        while follow:
            time.sleep(_POLL_SECONDS)
            for line in sorted((line for file in files.values() for line in file.read()), key=lambda line: line.time):
                _show(terminal, line)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _show(terminal: Terminal, line: "LogLine") -> None:
    if terminal.as_json:
        terminal.json({"part": line.part, "time": line.time.isoformat(), "level": line.level, "text": line.text})
        return
    terminal.styled(
        (f"{line.time.astimezone():%Y-%m-%d %H:%M:%S} ", "dim"),
        (f"{line.part:<12} ", "cyan"),
        (line.text, {"error": "red", "critical": "red", "warning": "yellow"}.get(line.level, "")),
    )


def _state(part: PartState) -> str:
    if part.is_ready:
        return "running"
    return f"starts again in {part.restarts_in} s" if part.restarts_in else "starting"


def _duration(text: str) -> timedelta:
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise typer.BadParameter(f"{text!r} is no time: write 30s, 10m, 2h or 1d", param_hint="'--since'")
    return timedelta(seconds=int(match[1]) * _UNITS[match[2]])

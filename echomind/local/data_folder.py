"""The data folder of a machine: its lock, secrets and ports."""

import dataclasses
import fcntl
import json
import os
import secrets
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from echomind.local.embedded.process import StartError, free_port, is_free
from echomind.local.private_files import write_private
from echomind_lib.secret_key_file import KEY_FILE, new_key, read_keys, write_keys

TAKEOVER_TIMEOUT = 20.0
"""Seconds to wait for the processes of a killed supervisor to end; the watchdog needs at most a third of it."""


_KNOWN_NAMES = {"lock", "run", "postgres", "secrets.json", KEY_FILE}
"""By one of these, a data folder is known, also one that begins with restored keys."""


def _password() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Secrets:
    """Credentials of the embedded servers."""

    postgres_password: str = field(default_factory=_password)
    nats_password: str = field(default_factory=_password)
    s3_access_key: str = "echomind"
    s3_secret_key: str = field(default_factory=_password)
    qdrant_api_key: str = field(default_factory=_password)
    embedding_api_key: str = field(default_factory=_password)


class DataFolder:
    """A data folder that this process owns, as a context manager.

    Attributes:
        path: The folder, absolute.
        lock: Descriptor of the locked file; a child that inherits it keeps the folder locked.
    """

    def __init__(self, path: Path):
        self.path = path.expanduser().absolute()
        self.lock = -1

    @property
    def logs(self) -> Path:
        """Folder of the processes' logs."""
        return self.path / "logs"

    @property
    def run(self) -> Path:
        """Folder of the files that describe the running stack."""
        return self.path / "run"

    def __enter__(self) -> "DataFolder":
        """Create and lock the folder.

        Raises:
            StartError: Another process uses it, it has other files, or it cannot be created.
        """
        try:
            if self.path.is_dir() and _has_other_files(self.path):
                raise StartError(
                    f"{self.path} has other files and is no data folder: choose an empty or new one with --data-dir"
                )
            for folder in (self.path, self.run):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StartError(
                f"the data folder {self.path} cannot be used ({error.strerror}): choose another with --data-dir"
            ) from error
        self._take_lock()
        os.ftruncate(self.lock, 0)
        os.pwrite(self.lock, f"{os.getpid()}\n".encode(), 0)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.lock)

    def secrets(self) -> Secrets:
        """Returns the secrets, generated at the first start; readable only by the owner.

        Raises:
            StartError: The file is damaged, or missing although there is data encrypted with it.
        """
        file = self.path / "secrets.json"
        try:
            stored = json.loads(file.read_text())
        except FileNotFoundError:
            if (self.path / "postgres").exists():
                raise StartError(
                    f"{file} is missing, and the data beside it cannot be read without it: restore it from a backup"
                ) from None
            stored = {}
        except ValueError as error:
            raise StartError(f"{file} is damaged ({error}): restore it from a backup") from error
        if keys := stored.pop("fernet_key", ""):  # where versions before rotation kept the key
            self._keep_secret_keys(keys)
            write_private(file, json.dumps(stored, indent=2))
        result = Secrets(**stored)
        if dataclasses.asdict(result) != stored:
            write_private(file, json.dumps(dataclasses.asdict(result), indent=2))
        return result

    def secret_keys(self) -> str:
        """Returns the keys that encrypt stored secrets, separated by commas; the first is made at the first start.

        Raises:
            StartError: The file is missing although there is data encrypted with it.
        """
        self.secrets()
        file = self.path / KEY_FILE
        if not file.exists():
            if (self.path / "postgres").exists():
                raise StartError(
                    f"{file} is missing, and stored secrets cannot be read without it: restore it from a backup, or "
                    "set ECHOMIND_SECRETS__KEYS"
                )
            self._keep_secret_keys(new_key())
        return ",".join(read_keys(file))

    def _keep_secret_keys(self, keys: str) -> None:
        """Adds keys to the key file, where it lacks them: behind its own, which may have encrypted since."""
        file = self.path / KEY_FILE
        kept = read_keys(file) if file.exists() else []
        if missing := [key for key in dict.fromkeys(keys.replace(",", " ").split()) if key not in kept]:
            write_keys(file, [*kept, *missing])

    def ports(self, names: Iterable[str]) -> dict[str, int]:
        """Returns a free port for each name: that of the last start, unless it is in use."""
        file = self.run / "ports.json"
        remembered = json.loads(file.read_text()) if file.exists() else {}
        ports: dict[str, int] = {}
        for name in names:
            port = remembered.get(name, 0)
            while not port or port in ports.values() or not is_free(port):
                port = free_port()
            ports[name] = port
        write_private(file, json.dumps(remembered | ports))
        return ports

    def remembered_ports(self) -> dict[str, int]:
        """Returns the ports of the last start."""
        ports: dict[str, int] = json.loads((self.run / "ports.json").read_text())
        return ports

    def _take_lock(self) -> None:
        deadline = time.monotonic() + TAKEOVER_TIMEOUT
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self.lock, 32, 0).decode().strip()
                if _is_alive(holder):
                    os.close(self.lock)
                    raise StartError(
                        f"the data folder {self.path} is in use by EchoMind, process {holder}: stop it "
                        f"(Ctrl-C there, or kill {holder}), or choose another folder with --data-dir"
                    ) from None
                if time.monotonic() > deadline:
                    os.close(self.lock)
                    raise StartError(
                        f"the data folder {self.path} is still locked by what process {holder} left behind: "
                        "end these processes, or choose another folder with --data-dir"
                    ) from None
                time.sleep(0.1)
            else:
                return


def _has_other_files(path: Path) -> bool:
    """Returns whether a folder has files, and none that a data folder has; those of file systems do not count."""
    names = {entry.name for entry in path.iterdir() if not entry.name.startswith(".") and entry.name != "lost+found"}
    return bool(names) and not names & _KNOWN_NAMES


def is_in_use(path: Path) -> bool:
    """Returns whether an EchoMind runs with a data folder."""
    try:
        lock = os.open(path.expanduser() / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)


def stop_running(path: Path, timeout: float) -> int:
    """Stops the EchoMind that uses a data folder, and waits for its end.

    Args:
        path: The data folder.
        timeout: Seconds to wait.

    Returns:
        The id of the stopped process; 0 if none ran, and the negative id of one that still runs.
    """
    try:
        lock = os.open(path.expanduser() / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        deadline, process = time.monotonic() + timeout, 0
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not process:
                    process = int(os.pread(lock, 32, 0).decode().strip() or 0)
                    if process:
                        os.kill(process, signal.SIGTERM)
                if time.monotonic() > deadline:
                    return -process
                time.sleep(0.1)
            else:
                return process
    except ProcessLookupError:  # its watchdog stops the remaining processes
        return process
    finally:
        os.close(lock)


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):  # ValueError: locked, but its id is not written yet
        return False
    except PermissionError:
        return True
    return True

"""Starts Python processes as forks of this one, which has loaded what several of them need.

Loading takes a service most of its start, and two thirds of its memory is what it has loaded. Loaded once before the
forks, it takes the time once, and the forks share its pages for as long as they do not write to them.

A fork continues with one thread. Therefore nothing may be loaded here that starts a thread or opens a connection when
it is imported, and only a process with a single thread forks. Linux alone: elsewhere system libraries forbid it.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NoReturn

from echomind.local.embedded.process import EntryPoint, ProcessSpec, StartError, open_log

SERVER_MODULES = ("grpc.aio", "uvloop", "echomind_lib.config", "echomind_lib.telemetry", "echomind_lib.process.disk")
"""What the embedded servers and the embedding process have in common."""

SERVICE_MODULES = (
    "echomind_lib.events.log",
    "echomind_lib.learned.facts",
    "echomind_lib.indexes",
    "echomind_lib.llms",
    "echomind_lib.network.fetching",
    "echomind_lib.retrieval",
    "echomind_lib.runtime",
    "echomind_lib.secrets",
)
"""What gateway, agents and ingestors have in common."""

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGINT)
_SET_PARENT_DEATH_SIGNAL = 1
_MMAP_THRESHOLD = -3


class ForkedProcess:
    """A fork, with the methods of `subprocess.Popen` that the supervisor needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        # Refers to this process also after another one has got its id.
        self._descriptor = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Returns the exit status, negative for a signal; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                os.close(self._descriptor)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Returns the exit status once it has ended.

        Raises:
            subprocess.TimeoutExpired: It runs after `timeout` seconds.
        """
        if self.poll() is None:
            select.select([self._descriptor], [], [], timeout)
        returncode = self.poll()
        if returncode is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        return returncode

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills it."""
        self.send_signal(signal.SIGKILL)


def can_fork() -> bool:
    """Returns whether this process may fork: on Linux, with a single thread."""
    return _has_process_descriptors() and len(list(Path("/proc/self/task").iterdir())) == 1


@cache
def _has_process_descriptors() -> bool:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):  # not Linux, a kernel before 5.3, or a sandbox that forbids it
        return False
    return True


def load(modules: Iterable[str]) -> None:
    """Imports modules for later forks, on Linux."""
    if not can_fork():
        return
    gc.disable()  # modules leave no garbage, and a search would write to every object
    for module in modules:
        importlib.import_module(module)
    gc.freeze()
    gc.enable()


def fork(spec: ProcessSpec, entry: EntryPoint, log_file: Path) -> ForkedProcess:
    """Starts a process as `spawn` does, by calling its entry point in a fork.

    Raises:
        StartError: There is no memory for it, or its log cannot be opened.
    """
    parent = os.getpid()
    try:
        log = open_log(log_file)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            # Otherwise the fork would take a signal with the handlers of this process.
            signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
            pid = os.fork()
            if pid == 0:
                _run(spec, entry, log, parent)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            os.close(log)
        return ForkedProcess(pid)
    except OSError as error:
        raise StartError(f"{spec.name} cannot be started: {error}") from error


def _run(spec: ProcessSpec, entry: EntryPoint, log: int, parent: int) -> NoReturn:
    """Becomes the process of a fork."""
    status = 1
    try:
        _detach(spec, log, parent)
        _become(spec, entry)
        status = _call(entry)
        # As the interpreter does at its end.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except BaseException:  # noqa: BLE001 - nothing above this frame is for this process
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _detach(spec: ProcessSpec, log: int, parent: int) -> None:
    """Leaves the parent's session, signals and descriptors, and arranges to end with it."""
    signal.set_wakeup_fd(-1)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    os.setsid()
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(spec.stop_signal))
    if os.getppid() != parent:  # it died before it was watched
        os._exit(1)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        if int(descriptor.name) > 2:
            with contextlib.suppress(OSError):  # that of the listing
                os.close(int(descriptor.name))
    os.chdir("/")


def _become(spec: ProcessSpec, entry: EntryPoint) -> None:
    """Takes the environment, arguments and title of the process."""
    from setproctitle import setproctitle

    setproctitle(" ".join(spec.argv))  # before the environment, beside which it lies in memory
    os.environ.clear()
    os.environ.update(spec.env)
    # The C library reads this variable only when a program starts.
    if threshold := spec.env.get("MALLOC_MMAP_THRESHOLD_"):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, int(threshold))
    sys.argv = [spec.argv[0], *entry.arguments]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True)  # type: ignore[union-attr]
    atexit._clear()  # what the parent does at its end


def _call(entry: EntryPoint) -> int:
    """Calls the entry point and returns the exit status, as the interpreter does."""
    module, _, function = entry.function.partition(":")
    try:
        returned = getattr(importlib.import_module(module), function)()
        sys.exit(returned)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1

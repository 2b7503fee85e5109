"""Runs a set of processes: starts them, restarts them when they die, stops them in order, rotates their logs.

It has one thread and no event loop: it sleeps until a signal, such as SIGCHLD.
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from echomind.local import watchdog
from echomind.local.embedded.process import ProcessSpec, StartError, describe_exit, kill_group, log_tail, spawn
from echomind.local.forks import ForkedProcess, can_fork, fork
from echomind.local.parts_file import PartsFile, PartState
from echomind_lib.process.disk import DiskSpace

STOP_TIMEOUT = 9.0
"""Seconds in which everything is stopped, however many processes refuse."""

STABLE_AFTER = 30.0
"""Seconds of service after which a death counts as the first."""

MAX_BACKOFF = 60.0
"""Maximum seconds between a death and the next start. Restarts never stop, because a missing dependency may return."""

SERVICE_INTERVAL = 5.0
"""Seconds between two questions to a process whether it still serves."""

LOG_SIZE = 10 * 1024 * 1024
LOG_GENERATIONS = 3
ROTATION_INTERVAL = 30.0

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequestedError(Exception):
    """Ctrl-C or SIGTERM came while something was being waited for."""


@dataclass
class Child:
    """One supervised process.

    Attributes:
        spec: The process to run.
        log_file: Its log file.
        log_start: Where in it the output of its last start begins, in bytes.
        process: The running process; None before a restart.
        since: Time of the last state change: started, ready, or allowed to restart (monotonic seconds).
        is_ready: Whether it has served since its last start.
        failures: Deaths in a row without a stable time between them.
        last_failure: The last failure; empty after a stable time.
        checked_at: Time of the last check whether it still serves.
    """

    spec: ProcessSpec
    log_file: Path
    log_start: int = 0
    process: subprocess.Popen[bytes] | ForkedProcess | None = None
    since: float = 0.0
    is_ready: bool = False
    failures: int = 0
    last_failure: str = ""
    checked_at: float = 0.0


@dataclass
class Supervisor:
    """A set of processes, as a context manager: leaving it stops them all.

    It must be used in the main thread: it handles signals, and on Linux its children live as long as the thread that
    started them. Ctrl-C does not reach the children, because they have their own sessions.

    Attributes:
        logs: Folder of the log files.
        report: Called with one line to display.
        disk: The disk that the processes write to. When it has space again, processes that wait to be restarted start
            immediately.
        parts: File for the state of the processes.
        inherited: Descriptors that must stay open until the last process has ended.
        forks: Whether to start Python processes as forks of this one where that is possible: see `forks`.
    """

    logs: Path
    report: Callable[[str], None]
    disk: DiskSpace
    parts: PartsFile
    inherited: Iterable[int] = ()
    forks: bool = False
    _groups: list[list[Child]] = field(default_factory=list, init=False)
    _stop_requested: bool = field(default=False, init=False)
    _next_rotation: float = field(default=0.0, init=False)
    _was_low: bool = field(default=False, init=False)

    def __enter__(self) -> "Supervisor":
        self._watchdog = self._start_watchdog()
        self._wakeup, self._wakeup_sender = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(self._wakeup_sender, False)
        self._old_wakeup = signal.set_wakeup_fd(self._wakeup_sender, warn_on_full_buffer=False)
        self._old_handlers = {number: signal.signal(number, self._request_stop) for number in STOP_SIGNALS}
        # The handler does nothing; with one installed, SIGCHLD writes to the wake-up socket.
        self._old_handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_all()
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._old_wakeup)
        os.close(self._wakeup)
        os.close(self._wakeup_sender)
        _close_watchdog(self._watchdog)

    def launch(self, *specs: ProcessSpec) -> None:
        """Start processes, without waiting. Groups are stopped in the reverse order of their launch."""
        group: list[Child] = []
        self._groups.append(group)
        for spec in specs:
            child = Child(spec, self.logs / f"{spec.name}.log")
            group.append(child)
            self._spawn(child)

    def run_once(self, spec: ProcessSpec) -> None:
        """Run one process to its end.

        Raises:
            StartError: It failed.
            StopRequestedError: Ctrl-C; the process is ended.
        """
        self.launch(spec)
        (child,) = self._groups[-1]
        process = child.process
        assert process is not None
        try:
            while process.poll() is None:
                self._sleep(0.05)
        finally:
            self._stop_group(self._groups.pop(), time.monotonic() + STOP_TIMEOUT)
        if (status := process.poll()) is not None and status != 0:
            raise StartError(f"{spec.name} {describe_exit(status)}.\n{log_tail(child.log_file, child.log_start)}")

    def wait_until_ready(self, *names: str) -> None:
        """Wait for the named processes, or for all, at their first start, each up to its time-out from now on.

        Raises:
            StartError: One of them ended, or did not serve in time.
            StopRequestedError: Ctrl-C.
        """
        awaited = [child for child in self._children() if not names or child.spec.name in names]
        for child in awaited:
            if not child.is_ready:
                child.since = time.monotonic()  # it may have been launched before what it waits for
        while not all(child.is_ready for child in awaited):
            for child in awaited:
                failure = self._probe(child)
                if failure is not None:
                    raise StartError(f"{child.spec.name} {failure}.\n{log_tail(child.log_file, child.log_start)}")
            self._sleep(0.02)

    def run(self) -> None:
        """Restarts processes that die, without a limit, until Ctrl-C, SIGTERM or SIGHUP."""
        with contextlib.suppress(StopRequestedError):
            while True:
                now = time.monotonic()
                self._watch_disk(now)
                for child in self._children():
                    self._tend(child, now)
                self.parts.write(self._state(child, now) for child in self._children())
                if now >= self._next_rotation:
                    self._next_rotation = now + ROTATION_INTERVAL
                    self._rotate()
                if self._watchdog.poll() is not None:
                    self._watchdog = self._start_watchdog()
                    self.report("The watchdog ended; another one watches now.")
                starting = any(child.process is not None and not child.is_ready for child in self._children())
                self._sleep(0.05 if starting else self._pause(now))

    def _pause(self, now: float) -> float:
        """Seconds until there is something to do; a death ends the wait."""
        if self._was_low:
            return 1.0
        waiting = (child.since - now for child in self._children() if child.process is None)
        return max(0.05, min(SERVICE_INTERVAL, *waiting, SERVICE_INTERVAL))

    def _watch_disk(self, now: float) -> None:
        """Reports when the disk gets full, and starts waiting processes when there is space again."""
        is_low = self.disk.is_low
        if is_low and not self._was_low:
            self.report(f"{self.disk.error()}")
        elif self._was_low and not is_low:
            self.report("The disk has room again.")
            for child in self._children():
                child.checked_at = 0.0
                if child.process is None:
                    child.since, child.failures = now, 0
        self._was_low = is_low

    def _rotate(self) -> None:
        try:
            rotate_logs(self.logs)
        except OSError as error:
            self.report(f"The logs could not be rotated: {error}")

    def _state(self, child: Child, now: float) -> PartState:
        waits = max(0.0, child.since - now) if child.process is None else 0.0
        if child.is_ready and now - child.since >= STABLE_AFTER:
            child.failures, child.last_failure = 0, ""
        return PartState(child.spec.name, child.is_ready, child.failures, child.last_failure, round(waits))

    def _tend(self, child: Child, now: float) -> None:
        if child.process is None:
            if now >= child.since:
                try:
                    self._spawn(child)
                except StartError as error:
                    self._failed(child, str(error), now)
            return
        failure = self._probe(child) or self._check_service(child, now)
        if failure is None:
            return
        if child.process.poll() is None:
            child.process.kill()
            child.process.wait()
        self._forget(child)
        child.process = None
        self._failed(child, failure, now)

    def _failed(self, child: Child, failure: str, now: float) -> None:
        """Records a failure and schedules the next start of the process."""
        lived = now - child.since if child.is_ready else 0.0
        child.failures = 1 if lived >= STABLE_AFTER else child.failures + 1
        child.last_failure = failure
        delay = min(0.25 * 2 ** min(child.failures - 1, 16), MAX_BACKOFF)
        often = f", {child.failures} times in a row" if child.failures > 1 else ""
        later = f" in {delay:.0f} s" if delay >= 1 else ""
        self.report(f"{child.spec.name} {failure}{often}; starting it again{later} (log: {child.log_file})")
        child.is_ready, child.since = False, now + delay

    def _check_service(self, child: Child, now: float) -> str | None:
        """Returns the problem of a running process that no longer serves; checked periodically."""
        is_due = child.is_ready and now >= child.checked_at + SERVICE_INTERVAL
        if child.spec.serves is None or not is_due or self._was_low:
            return None
        child.checked_at = now
        return None if child.spec.serves() else "does not serve any more"

    def _probe(self, child: Child) -> str | None:
        """Record when a process becomes ready; return its problem, if any."""
        assert child.process is not None
        if (status := child.process.poll()) is not None:
            return describe_exit(status)
        if not child.is_ready:
            if child.spec.ready():
                child.is_ready, child.since = True, time.monotonic()
            elif time.monotonic() - child.since > child.spec.ready_timeout:
                return f"was not ready within {child.spec.ready_timeout:.0f} s"
        return None

    def _spawn(self, child: Child) -> None:
        entry = child.spec.entry
        child.log_start = child.log_file.stat().st_size if child.log_file.exists() else 0
        if self.forks and entry is not None and can_fork():
            child.process = fork(child.spec, entry, child.log_file)
        else:
            child.process = spawn(child.spec, child.log_file)
        child.since = time.monotonic()
        child.is_ready = False
        self._notify_watchdog(f"+ {child.process.pid} {child.spec.stop_signal.value}")

    def _forget(self, child: Child) -> None:
        """Clean up after a process has ended, including its remaining children."""
        assert child.process is not None
        kill_group(child.process.pid)
        self._notify_watchdog(f"- {child.process.pid}")

    def _children(self) -> list[Child]:
        return [child for group in self._groups for child in group]

    def _sleep(self, seconds: float) -> None:
        """Sleep until a signal arrives, at most this long.

        Raises:
            StopRequestedError: The signal asks to stop.
        """
        if not self._stop_requested:
            select.select([self._wakeup], [], [], seconds)
            with contextlib.suppress(BlockingIOError):
                while os.read(self._wakeup, 512):
                    pass
        if self._stop_requested:
            raise StopRequestedError

    def _request_stop(self, _: int, __: FrameType | None) -> None:
        self._stop_requested = True

    def _stop_all(self) -> None:
        deadline = time.monotonic() + STOP_TIMEOUT
        while self._groups:
            self._stop_group(self._groups.pop(), deadline)

    def _stop_group(self, group: list[Child], deadline: float) -> None:
        running = [child for child in group if child.process is not None]
        for child in running:
            assert child.process is not None
            child.process.send_signal(child.spec.stop_signal)
        # Reserve time for the groups that are stopped next.
        spare = 0.5 * len(self._groups)
        grace = max((child.spec.stop_timeout for child in running), default=0.0)
        limit = max(0.3, min(grace, deadline - time.monotonic() - spare))
        end = time.monotonic() + limit
        for child in running:
            assert child.process is not None
            try:
                child.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.report(f"{child.spec.name} did not stop within {limit:.1f} s and is killed")
                child.process.kill()
                child.process.wait()
            self._forget(child)

    def _start_watchdog(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", watchdog.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            text=True,
            start_new_session=True,
            pass_fds=tuple(self.inherited),
        )
        for child in self._children():
            if child.process is not None:
                self._write_line(process, f"+ {child.process.pid} {child.spec.stop_signal.value}")
        return process

    def _notify_watchdog(self, line: str) -> None:
        self._write_line(self._watchdog, line)

    @staticmethod
    def _write_line(process: subprocess.Popen[str], line: str) -> None:
        assert process.stdin is not None
        # If the watchdog was killed, the supervisor's next check starts a new one, which receives the whole list.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{line}\n")
            process.stdin.flush()


def _close_watchdog(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.wait()


def rotate_logs(folder: Path, size: int = LOG_SIZE, generations: int = LOG_GENERATIONS) -> None:
    """Move the content of logs that have grown beyond `size` bytes to `NAME.log.1`, of which `generations` are kept.

    The content is copied and the file truncated: its process holds it open, in append mode.
    """
    for log in folder.glob("*.log"):
        if log.stat().st_size <= size:
            continue
        for number in range(generations, 1, -1):
            older = log.with_name(f"{log.name}.{number - 1}")
            if older.exists():
                older.replace(log.with_name(f"{log.name}.{number}"))
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
        os.truncate(log, 0)

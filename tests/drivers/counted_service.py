"""A service of the product that counts the Python functions that it calls.

    python -m tests.drivers.counted_service api|agent|ingestor FOLDER [--with-timers]

At SIGUSR2 it writes `FOLDER/calls-NAME.json` with the calls since the last time: their number, and the functions that
were called most. Its statements share one connection, as each connection plans a statement's first executions, and how
many there are depends on the machine's load. Without `--with-timers` it does nothing that recurs by the clock, so that
the counts do not depend on how long the work takes.
"""

import argparse
import cProfile
import importlib
import json
import signal
import sys
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

_NEVER = 3600.0
_MAX_CALLED = 100


class CallCounter:
    """Counts calls of Python functions, without those of functions written in C, on the thread that starts it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._profile = cProfile.Profile(builtins=False)

    def start(self) -> None:
        """Counts from now on, and writes at SIGUSR2."""
        signal.signal(signal.SIGUSR2, self._write)
        self._profile.enable()

    def _write(self, _signal: int, _frame: FrameType | None) -> None:
        self._profile.disable()
        calls = sorted(((entry.callcount, _name(entry.code)) for entry in self._profile.getstats()), reverse=True)
        written = {"calls": sum(count for count, _ in calls), "most": calls[:_MAX_CALLED]}
        unfinished = self._file.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(written), encoding="utf-8")
        unfinished.rename(self._file)
        self._profile.clear()
        self._profile.enable()


def _name(code: Any) -> str:
    if isinstance(code, str):
        return code
    folder, _, file = code.co_filename.rpartition("/")
    return f"{folder.rpartition('/')[2]}/{file}:{code.co_firstlineno} {code.co_qualname}"


def _stop_timers(service: str) -> None:
    """Makes what recurs by the clock wait for longer than any test."""
    if service == "api":
        _module("echomind_api.streams.feeds")["_POLL_SECONDS"] = _NEVER
        return
    membership = _module("echomind_lib.runtime.membership")
    membership["HEARTBEAT_SECONDS"] = membership["WATCH_SECONDS"] = _NEVER
    if service == "ingestor":
        jobs = _module("echomind_lib.jobs")  # from which the service imports when it starts
        jobs["JobWorker"] = partial(jobs["JobWorker"], sweep_seconds=_NEVER)
        _module("echomind_ingestor.worker")["_SWEEP_SECONDS"] = _NEVER
        _module("echomind_ingestor.pipeline.processing")["_WATCH_SECONDS"] = _NEVER
        return
    _module("echomind_lib.retrieval.removals")["_SECONDS"] = _NEVER
    worker = _module("echomind_agent.execution.worker")
    worker["JobWorker"] = partial(worker["JobWorker"], sweep_seconds=_NEVER)
    main_module = _module("echomind_agent.main")
    main_module["Worker"] = partial(main_module["Worker"], sweep_seconds=_NEVER)


def _take_one_connection() -> None:
    """Lets the service's pool have one connection, which is less than the settings allow."""
    database = _module("echomind_lib.db.database")["Database"]
    connect = database.connect

    def connect_once(*arguments: Any, **options: Any) -> Any:
        return connect(*arguments, **{**options, "max_size": 1})

    database.connect = connect_once


def _module(name: str) -> dict[str, Any]:
    """Returns what is in a module, to be replaced."""
    return vars(importlib.import_module(name))


def main() -> None:
    """Serves until SIGTERM."""
    parser = argparse.ArgumentParser(description="A service whose Python calls are counted.")
    parser.add_argument("service", choices=["api", "agent", "ingestor"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--with-timers", action="store_true")
    arguments = parser.parse_args()
    entry = importlib.import_module(f"echomind_{arguments.service}.main")
    _take_one_connection()
    if not arguments.with_timers:
        _stop_timers(arguments.service)
    sys.argv = sys.argv[:1]  # the service reads it, too
    CallCounter(arguments.folder / f"calls-{arguments.service}.json").start()
    entry.main()


if __name__ == "__main__":
    main()

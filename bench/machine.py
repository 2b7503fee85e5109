"""What processes cost on this machine: processor time and memory of process trees, and how busy everybody else is."""

import os
import platform
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import psutil

_CALIBRATION = range(300_000)


def tree(root: psutil.Process) -> list[psutil.Process]:
    """Returns a process and all that descend from it; empty when it has ended."""
    try:
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """User and system time of process trees, ended children that were waited for included."""
    seconds = 0.0
    for root in processes:
        for process in tree(root):
            try:
                seconds += sum(process.cpu_times()[:4])
            except psutil.NoSuchProcess:
                continue
    return seconds


def cpu_by_name(processes: Mapping[str, psutil.Process]) -> dict[str, float]:
    """User and system time of each process tree."""
    return {name: cpu_seconds([process]) for name, process in processes.items()}


def pss_mib(root: psutil.Process) -> float:
    """Memory of a process tree in MiB; pages that several processes share are divided among them (Linux's PSS).

    Elsewhere the resident size, which counts shared pages several times.
    """
    total = 0
    for process in tree(root):
        try:
            memory = process.memory_full_info()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        total += getattr(memory, "pss", memory.rss)
    return total / 2**20


def busy_seconds() -> float:
    """Processor time that the whole machine has spent working since it was started."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    return sum(times[:8]) - idle


def calibration_ms() -> float:
    """Milliseconds of a fixed piece of work, the best of three: shows a machine that others slow down."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        sum(number * number for number in _CALIBRATION)
        best = min(best, time.perf_counter() - began)
    return round(best * 1000, 1)


def describe() -> dict[str, object]:
    """Returns the machine and the moment, for a results file."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "calibration_ms": calibration_ms(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()

"""One measured cell: a system under so many conversations at once, with what each of its processes takes for it."""

import json
import time
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

import psutil

from bench.children import run_tool
from bench.machine import busy_seconds, cpu_by_name, cpu_seconds
from bench.systems import System

TURNS_A_SESSION = 5
_LOAD_GRACE = 150.0


def load(
    system: System,
    profile: str,
    concurrency: int,
    seconds: float,
    *,
    max_turns: int | None = None,
    turns_a_session: int = TURNS_A_SESSION,
    sessions: Sequence[int] = (),
) -> dict[str, Any]:
    """Loads a system and gives what the client saw.

    Args:
        system: The system, prepared for the profile.
        profile: The stub's profile.
        concurrency: Conversations at once.
        seconds: How long.
        max_turns: How many turns at most.
        turns_a_session: Turns after which a conversation begins a new session.
        sessions: EchoMind's sessions to continue, before new ones are begun.

    Raises:
        RuntimeError: The client failed, or not one turn succeeded.
    """
    arguments = ["--adapter", system.adapter, "--base", system.base, "--model", profile + system.profile_suffix]
    arguments += ["--concurrency", str(concurrency), "--seconds", str(seconds), "--turns", str(turns_a_session)]
    arguments += ["--max-turns", str(max_turns)] if max_turns else []
    options = dict(system.options) | ({"sessions": ",".join(map(str, sessions))} if sessions else {})
    for name, value in options.items():
        arguments += ["--option", f"{name}={value}"]
    result: dict[str, Any] = json.loads(run_tool(system.client, *arguments, timeout=seconds + _LOAD_GRACE))
    if not result["turns"]:
        raise RuntimeError(f"{system.name}: no turn succeeded: {result['error_examples']}")
    return result


def measure(
    system: System, stub: tuple[psutil.Process, str], profile: str, concurrency: int, seconds: float
) -> dict[str, Any]:
    """Loads a system and accounts processor time, in milliseconds a turn, by process.

    Args:
        system: The system, prepared for the profile.
        stub: The model server, and its address.
        profile: The stub's profile.
        concurrency: Conversations at once.
        seconds: How long.
    """
    own = psutil.Process()
    busy, began = busy_seconds(), time.perf_counter()
    stub_process, stub_url = stub
    asked = _completions(stub_url)
    before, stub_before, client_before = cpu_by_name(system.processes), cpu_seconds([stub_process]), _reaped(own)
    cell = load(system, profile, concurrency, seconds)
    del cell["sessions"]
    used = _difference(cpu_by_name(system.processes), before)
    stub_used, client_used = cpu_seconds([stub_process]) - stub_before, _reaped(own) - client_before
    wall = time.perf_counter() - began
    others = busy_seconds() - busy - sum(used.values()) - stub_used - client_used
    turns = cell["turns"]
    cell["model_calls_a_turn"] = round((_completions(stub_url) - asked) / turns, 2)
    cell["cpu_ms"] = {name: round(value * 1000 / turns, 3) for name, value in used.items()}
    cell["stub_and_client_cpu_ms"] = round((stub_used + client_used) * 1000 / turns, 3)
    cell["others_cores"] = round(max(0.0, others) / wall, 2)
    return cell


def _completions(stub_url: str) -> int:
    """Returns how many requests the model server has answered, of all kinds."""
    with urllib.request.urlopen(f"{stub_url}/stats", timeout=10) as answer:
        return int(json.load(answer)["completions"])


def idle_cores(processes: Mapping[str, psutil.Process], seconds: float) -> dict[str, float]:
    """Cores that processes take while nobody asks them anything."""
    before, began = cpu_by_name(processes), time.perf_counter()
    time.sleep(seconds)
    wall = time.perf_counter() - began
    return {name: round(value / wall, 4) for name, value in _difference(cpu_by_name(processes), before).items()}


def _difference(after: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    return {name: max(0.0, after[name] - before[name]) for name in before}


def _reaped(process: psutil.Process) -> float:
    """Processor time of the children that this process has waited for: the load clients."""
    times = process.cpu_times()
    return float(times.children_user + times.children_system)

"""The supervisor with dummy services: order, restarts, and that nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psutil
import pytest

from echomind.local import watchdog
from echomind.local.parts_file import PartState, read_parts
from echomind.local.supervisor import rotate_logs
from tests.paths import ROOT

SUPERVISE = ROOT / "tests/drivers/supervise.py"

Supervise = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Supervise]:
    """Starts the supervisor over dummy services, given as `NAME=BEHAVIOUR`."""
    with ExitStack() as stack:

        def start(*services: str, ready: bool = True) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, str(SUPERVISE), str(tmp_path), *services],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            if ready:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
            return process

        yield start


@pytest.fixture(
    params=[
        "--exec",
        pytest.param("--fork", marks=pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux alone")),
    ]
)
def supervise_both_ways(request: pytest.FixtureRequest, supervise: Supervise) -> Supervise:
    """As `supervise`, with services that are programs of their own, then with forks of the supervisor."""
    return partial(supervise, "--fork") if request.param == "--fork" else supervise


def eventually(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


def pid(folder: Path, name: str) -> int:
    return int((folder / f"{name}.pid").read_text())


def watchdogs(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return [child for child in psutil.Process(process.pid).children() if watchdog.__file__ in child.cmdline()]


def is_running(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("stop_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stops_in_reverse_order(supervise_both_ways: Supervise, tmp_path: Path, stop_signal: signal.Signals) -> None:
    process = supervise_both_ways("first=good", "second=good", "third=good")
    process.send_signal(stop_signal)
    assert process.wait(60) == 0
    assert (tmp_path / "events").read_text().split("\n")[:-1] == ["third stopped", "second stopped", "first stopped"]


@pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux alone")
def test_a_fork_is_a_process_of_its_own(supervise: Supervise, tmp_path: Path) -> None:
    process = supervise("--fork", "first=good", "second=good", "broken=crashing")
    service = psutil.Process(pid(tmp_path, "second"))
    # Command line, session, environment, log and descriptors are its own.
    assert " ".join(service.cmdline()).split()[-2:] == ["second", "good"]
    assert os.getsid(service.pid) == service.pid
    descriptors = {int(path.name): path.readlink() for path in Path(f"/proc/{service.pid}/fd").iterdir()}
    log = tmp_path / "logs" / "second.log"
    assert descriptors == {0: Path(os.devnull), 1: log, 2: log}
    assert process.stdout is not None
    assert process.stdout.readline().startswith("broken ended with status 1; starting it again")
    assert "the dummy cannot find its marbles" in (tmp_path / "logs" / "broken.log").read_text()
    assert psutil.Process(process.pid).num_threads() == 1


def test_ctrl_c_in_the_terminal_does_not_reach_the_services(supervise_both_ways: Supervise, tmp_path: Path) -> None:
    process = supervise_both_ways("first=good", "second=good")
    # A terminal sends the signal to the whole process group in the foreground.
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == 0
    assert (tmp_path / "events").read_text() == "second stopped\nfirst stopped\n"


def test_a_service_that_will_not_stop_is_killed_in_time(supervise: Supervise, tmp_path: Path) -> None:
    process = supervise("polite=good", *(f"stubborn-{number}=stubborn" for number in range(8)))
    start = time.monotonic()
    process.terminate()
    output, _ = process.communicate(timeout=60)
    # The limit is 3 s there; one after the other they would take 8 s at least.
    assert time.monotonic() - start < 8
    assert "stubborn-7 did not stop" in output
    assert not any(is_running(pid(tmp_path, f"stubborn-{number}")) for number in range(8))
    assert (tmp_path / "events").read_text() == "polite stopped\n"


def test_restarts_a_service_that_was_killed(supervise_both_ways: Supervise, tmp_path: Path) -> None:
    process = supervise_both_ways("steady=good", "victim=parent")
    victim, orphan, steady = (pid(tmp_path, name) for name in ("victim", "victim.child", "steady"))
    os.kill(victim, signal.SIGKILL)
    eventually(lambda: pid(tmp_path, "victim") != victim)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("victim was killed by SIGKILL; starting it again")
    # Children of the victim are killed with it; other processes keep running.
    assert not is_running(orphan)
    assert pid(tmp_path, "steady") == steady
    assert is_running(steady)


def test_a_crash_loop_is_restarted_and_reported_and_ends_when_a_full_disk_has_space(
    supervise: Supervise, tmp_path: Path
) -> None:
    process = supervise("steady=good", "broken=crashing")
    assert process.stdout is not None
    received = [process.stdout.readline() for _ in range(6)]
    assert received[0].startswith("broken ended with status 1; starting it again")
    assert received[5].startswith("broken ended with status 1, 6 times in a row; starting it again in 8 s")
    eventually(lambda: part(tmp_path, "broken").failures == 6)
    broken = next(state for state in read_parts(tmp_path / "parts.json") if state.name == "broken")
    assert (broken.is_ready, broken.last_failure) == (False, "ended with status 1")
    assert 0 < broken.restarts_in <= 8
    eventually(lambda: part(tmp_path, "steady").is_ready)
    # Processes waiting for a restart start immediately when a full disk has space again.
    (tmp_path / "disk-is-full").touch()
    full = process.stdout.readline()
    assert "The disk of" in full
    assert str(tmp_path) in full
    (tmp_path / "broken.mended").touch()
    (tmp_path / "disk-is-full").unlink()
    assert process.stdout.readline() == "The disk has room again.\n"
    eventually(lambda: part(tmp_path, "broken").is_ready, 3)
    process.terminate()
    assert process.wait(60) == 0
    assert read_parts(tmp_path / "parts.json") == []


def part(folder: Path, name: str) -> PartState:
    """Returns what the supervisor says of a process; nothing yet just after the start."""
    unknown = PartState(name, is_ready=False, failures=0, last_failure="", restarts_in=0)
    return next((state for state in read_parts(folder / "parts.json") if state.name == name), unknown)


def test_a_process_that_no_longer_serves_is_restarted(supervise: Supervise, tmp_path: Path) -> None:
    process = supervise("steady=good", "hollow=good")
    before = pid(tmp_path, "hollow")
    (tmp_path / "hollow.hollow").touch()
    assert process.stdout is not None
    assert process.stdout.readline().startswith("hollow does not serve any more; starting it again")
    (tmp_path / "hollow.hollow").unlink()
    eventually(lambda: pid(tmp_path, "hollow") != before)


def test_killing_the_supervisor_leaves_nothing_behind(supervise_both_ways: Supervise, tmp_path: Path) -> None:
    process = supervise_both_ways("service=good", "family=parent", "stubborn=stubborn")
    family = [process.pid, *(pid(tmp_path, name) for name in ("service", "family", "family.child", "stubborn"))]
    family += [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    process.kill()
    process.wait()
    # A new start on the folder waits until the last of them has ended.
    successor = supervise_both_ways("service=good")
    assert not any(is_running(member) for member in family)
    assert successor.poll() is None


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent death signal")
def test_killing_supervisor_and_watchdog_leaves_nothing_behind(supervise_both_ways: Supervise, tmp_path: Path) -> None:
    process = supervise_both_ways("first=good", "second=good")
    children = psutil.Process(process.pid).children()
    (guard,) = watchdogs(process)
    for victim in (guard, psutil.Process(process.pid)):
        victim.kill()
    process.wait()
    eventually(lambda: not any(is_running(child.pid) for child in children))


def test_a_killed_watchdog_is_replaced(supervise: Supervise, tmp_path: Path) -> None:
    process = supervise("service=good", "stubborn=stubborn")
    (guard,) = watchdogs(process)
    guard.kill()
    assert process.stdout is not None
    assert process.stdout.readline() == "The watchdog ended; another one watches now.\n"
    process.kill()
    process.wait()
    eventually(lambda: not is_running(pid(tmp_path, "stubborn")))


def test_a_second_start_on_the_folder_is_refused(supervise: Supervise, tmp_path: Path) -> None:
    process = supervise("service=good")
    service = pid(tmp_path, "service")
    second = supervise("service=good", ready=False)
    _, errors = second.communicate(timeout=60)
    assert second.returncode == 1
    assert str(tmp_path) in errors
    assert f"in use by EchoMind, process {process.pid}" in errors
    assert is_running(service)


def test_an_error_shows_the_log_of_its_own_start(supervise_both_ways: Supervise, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.log").write_text("an error of an earlier start\n")
    (tmp_path / "run").mkdir()
    failed = supervise_both_ways("one=crashing", ready=False)
    _, errors = failed.communicate(timeout=60)
    assert failed.returncode == 1
    assert "one ended with status 1" in errors
    assert "cannot find its marbles" in errors
    assert "earlier start" not in errors


def test_logs_are_rotated_while_they_are_written(tmp_path: Path) -> None:
    log = tmp_path / "service.log"
    with log.open("a") as stream:
        for content in ("first", "second", "third", "fourth"):
            stream.write(content)
            stream.flush()
            rotate_logs(tmp_path, size=3, generations=2)
        assert log.read_text() == ""
        stream.write("5")
        stream.flush()
        rotate_logs(tmp_path, size=3, generations=2)
    assert log.read_text() == "5"
    assert (tmp_path / "service.log.1").read_text() == "fourth"
    assert (tmp_path / "service.log.2").read_text() == "third"
    assert not (tmp_path / "service.log.3").exists()

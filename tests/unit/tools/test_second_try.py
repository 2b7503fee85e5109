"""Which failed tests are tried a second time."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools import second_try

Ended = Callable[[int, list[str]], None]


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ended:
    """Records how a run has ended, as pytest does."""
    monkeypatch.setattr(second_try, "CACHE", tmp_path)

    def record(status: int, failed: list[str]) -> None:
        for name, value in {"echomind/exitstatus": status, "cache/lastfailed": dict.fromkeys(failed, True)}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(json.dumps(value))

    return record


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run; the second try succeeds."""
    sent: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        sent.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    return sent


def test_two_failed_tests_are_named_and_tried_alone(
    ended: Ended, commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    ended(1, ["tests/b.py::test_b", "tests/a.py::test_a"])
    assert second_try.main() == 0
    assert commands[0][-4:] == ["-n", "0", "tests/a.py::test_a", "tests/b.py::test_b"]
    assert "second try" in (printed := capsys.readouterr().out)
    assert "tests/a.py::test_a" in printed


def test_more_failed_tests_are_not(ended: Ended, commands: list[list[str]]) -> None:
    ended(1, [f"tests/a.py::test_{number}" for number in range(second_try.LIMIT + 1)])
    assert second_try.main() == 1
    assert not commands


@pytest.mark.parametrize("status", [2, 3, 4, 5])
def test_a_run_that_did_not_reach_its_end_is_not(ended: Ended, commands: list[list[str]], status: int) -> None:
    ended(status, ["tests/a.py::test_a"])
    assert second_try.main() == 1
    assert not commands


def test_nothing_is_tried_without_a_run(ended: Ended, commands: list[list[str]]) -> None:
    assert second_try.main() == 1
    assert not commands

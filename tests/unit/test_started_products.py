"""A product that a test has started ends with the tests."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from echomind_lib.confined.parent import parent_death_signal
from tests.paths import ROOT

STARTS = """
import signal, sys, time
from pathlib import Path
from tests.drivers import up

signal.signal(signal.SIGINT, signal.SIG_DFL)  # jobs in the background ignore it, and so do their children
up.ECHOMIND = sys.argv[1]
print(up.start_up(Path(sys.argv[2])).process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(
    not parent_death_signal(signal.SIGINT), reason="this system does not tell a process that its parent has died"
)
def test_a_product_ends_when_the_tests_are_killed(tmp_path: Path) -> None:
    program = tmp_path / "echomind"
    # Waits in itself, as a signal for one process does not reach its children.
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(600)\n")
    program.chmod(0o700)
    command = [sys.executable, "-c", STARTS, str(program), str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as tests:
        assert tests.stdout is not None
        started = psutil.Process(int(tests.stdout.readline()))
        try:
            tests.kill()
            tests.wait()
            # The process that inherits it may leave it as a zombie.
            _, alive = psutil.wait_procs([started], timeout=60)
            assert all(each.status() == psutil.STATUS_ZOMBIE for each in alive)
        finally:
            if started.is_running():
                started.kill()

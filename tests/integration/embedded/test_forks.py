"""What is loaded before processes are forked."""

import subprocess
import sys

import pytest

_LOAD = """
import gc, os
from echomind.local import forks
before = sorted(os.listdir("/proc/self/fd"))
forks.load(forks.SERVER_MODULES)
forks.load(forks.SERVICE_MODULES)
assert sorted(os.listdir("/proc/self/fd")) == before, "a module opens something when it is imported"
assert forks.can_fork(), "a module starts a thread when it is imported"
assert gc.isenabled() and gc.get_freeze_count() > 100_000
import sys
print(*sorted({"openvino", "numpy", "cryptography", "fastapi"} & set(sys.modules)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux alone")
def test_what_is_loaded_before_forks_starts_no_thread_and_opens_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux alone")
def test_a_process_with_threads_does_not_fork() -> None:
    code = """
import threading
from echomind.local import forks
assert forks.can_fork()
release = threading.Event()
threading.Thread(target=release.wait).start()
assert not forks.can_fork()
release.set()
"""
    subprocess.run([sys.executable, "-c", code], check=True)

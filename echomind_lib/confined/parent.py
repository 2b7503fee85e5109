"""Helpers to start child processes without our environment, which end with their parent."""

import os
import shutil
import signal
import sys
from functools import cache


def bare_environment() -> dict[str, str]:
    """Returns the environment variables of a child process: none that may contain a secret."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}


@cache
def parent_death_signal(number: signal.Signals) -> tuple[str, ...]:
    """Returns the command line prefix that makes a process receive a signal when its parent dies (`PR_SET_PDEATHSIG`).

    The kernel ties the signal to the starting *thread*: start the process from a thread that lives as long, usually the
    main one. Empty on systems other than Linux, and if `setpriv` is missing.
    """
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    return (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--") if setpriv else ()

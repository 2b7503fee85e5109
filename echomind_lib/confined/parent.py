"""Starts child processes without our environment, so that they end with their parent."""

import os
import shutil
import signal
import sys
from functools import cache


def bare_environment() -> dict[str, str]:
    """Returns the environment variables of a child process: none that could hold a secret."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}


@cache
def parent_death_signal(number: signal.Signals) -> tuple[str, ...]:
    """Returns the command line prefix that makes a process receive a signal when its parent dies (`PR_SET_PDEATHSIG`).

    The kernel ties that to the starting *thread*: start the process from one that lives as long, in practice the main
    one. Nothing on other systems than Linux, and where there is no `setpriv`.
    """
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    return (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--") if setpriv else ()

"""Children that end with their parent, however it ends."""

import shutil
import signal
import sys
from functools import cache


@cache
def parent_death_signal(number: signal.Signals) -> tuple[str, ...]:
    """What to put before a command line for its process to get a signal when its parent dies (`PR_SET_PDEATHSIG`).

    The kernel ties that to the starting *thread*: start the process from one that lives as long, in practice the main
    one. Nothing on other systems than Linux, and where there is no `setpriv`.
    """
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    return (setpriv, "--pdeathsig", number.name.removeprefix("SIG"), "--") if setpriv else ()

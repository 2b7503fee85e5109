"""A service for tests of the supervisor: `dummy.py FOLDER NAME BEHAVIOUR`.

It leaves its process id in FOLDER/NAME.pid once it serves, and `NAME stopped` in FOLDER/events when it is asked to end.
Behaviours: `good`; `stubborn` ignores being asked; `crashing` ends at once, until FOLDER/NAME.mended is there; `parent`
has a child of its own, whose process id is in FOLDER/NAME.child.pid, and which ignores being asked.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    folder, name, behaviour = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    if behaviour == "crashing" and not (folder / f"{name}.mended").exists():
        sys.exit("the dummy cannot find its marbles")
    if behaviour == "parent":
        child = subprocess.Popen([sys.executable, __file__, str(folder), f"{name}.child", "stubborn"])
        while not (folder / f"{name}.child.pid").exists():
            assert child.poll() is None
            time.sleep(0.01)
    asked = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, asked)
    unfinished = folder / f"{name}.pid.unfinished"
    unfinished.write_text(str(os.getpid()))
    unfinished.rename(folder / f"{name}.pid")
    while True:
        signal.sigwait(asked)
        if behaviour != "stubborn":
            break
    with (folder / "events").open("a") as events:
        events.write(f"{name} stopped\n")


if __name__ == "__main__":
    main()

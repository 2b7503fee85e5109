"""Runs dummy services under the supervisor: `supervise.py FOLDER NAME=BEHAVIOUR ...`, one group each."""

import sys
from pathlib import Path

from echomind import supervisor as supervision
from echomind.data_folder import DataFolder
from echomind.embedded.process import ProcessSpec, StartError
from echomind.supervisor import Supervisor

DUMMY = Path(__file__).with_name("dummy.py")


def spec(folder: Path, name: str, behaviour: str) -> ProcessSpec:
    """A dummy service; ready when it has left its process id."""
    return ProcessSpec(
        name=name,
        argv=[sys.executable, str(DUMMY), str(folder), name, behaviour],
        env={},
        ready=(folder / f"{name}.pid").exists,
        ready_timeout=20,
        stop_timeout=1,
    )


def report(line: str) -> None:
    """Tell the test."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    path = Path(sys.argv[1])
    supervision.STOP_TIMEOUT = 3.0
    try:
        with DataFolder(path) as folder, Supervisor(folder.logs, report, inherited=[folder.lock]) as supervisor:
            for argument in sys.argv[2:]:
                supervisor.launch(spec(path, *argument.split("=")))
            if "crashing" not in sys.argv[-1]:
                supervisor.wait_until_ready()
            report("ready")
            supervisor.run()
    except StartError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

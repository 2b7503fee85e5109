"""Runs dummy services under the supervisor: `supervise.py FOLDER [--fork] NAME=BEHAVIOUR ...`, one group each."""

import sys
from pathlib import Path

from echomind.local import supervisor as supervision
from echomind.local.data_folder import DataFolder
from echomind.local.embedded.process import EntryPoint, ProcessSpec, StartError
from echomind.local.parts_file import PartsFile
from echomind.local.supervisor import Supervisor
from echomind_lib.config import DiskSettings
from echomind_lib.process.disk import DiskSpace

DUMMY = Path(__file__).with_name("dummy.py")
ROOT = DUMMY.parents[2]


class Disk(DiskSpace):
    """A disk that is full as long as the file `disk-is-full` is there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(DiskSettings(folder=str(folder)))
        self._sign = folder / "disk-is-full"

    @property
    def is_low(self) -> bool:
        return self._sign.exists()


def spec(folder: Path, name: str, behaviour: str) -> ProcessSpec:
    """Returns a dummy service; ready when it has left its process id."""
    return ProcessSpec(
        name=name,
        argv=[sys.executable, str(DUMMY), str(folder), name, behaviour],
        entry=EntryPoint("tests.drivers.dummy:main", [str(folder), name, behaviour]),
        env={"NAME_OF_DUMMY": name},
        ready=(folder / f"{name}.pid").exists,
        ready_timeout=60,
        serves=lambda: not (folder / f"{name}.hollow").exists(),
        stop_timeout=1,
    )


def report(line: str) -> None:
    """Tell the test."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    path, *services = Path(sys.argv[1]), *sys.argv[2:]
    forks = "--fork" in services
    if forks:
        services.remove("--fork")
        sys.path.append(str(ROOT))
    supervision.STOP_TIMEOUT = 3.0
    supervision.SERVICE_INTERVAL = 0.5
    try:
        with (
            DataFolder(path) as folder,
            PartsFile(path / "parts.json") as parts,
            Supervisor(folder.logs, report, Disk(path), parts, inherited=[folder.lock], forks=forks) as supervisor,
        ):
            for argument in services:
                supervisor.launch(spec(path, *argument.split("=")))
            supervisor.wait_until_ready(*(given.split("=")[0] for given in services if "crashing" not in given))
            report("ready")
            supervisor.run()
    except StartError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

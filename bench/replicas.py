"""What further agents add where each has a part of a processor: `python -m bench.replicas`, as root.

A machine of few cores cannot hold the parts apart that a cluster has on machines of their own. So each agent process
gets a small part of a core (a control group with a quota), and what is beside it as much as it wants: what the
replicas add is then what the agents add, until something else is the limit.
"""

import argparse
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import psutil

from bench import results
from bench.children import Children
from bench.load import load
from bench.machine import busy_seconds, describe
from bench.product import Product
from bench.systems import echomind

_PROFILE: Final = "stub-t100-d0"
_PERIOD: Final = 100_000
"""Microseconds in which a quota may be used."""
_GROUPS: Final = Path("/sys/fs/cgroup/cpu")


def main() -> None:
    """Measures and writes `results/replicas.json` and `.md`."""
    options = _options()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        _, stub_url = children.start_stub()
        machine = describe()
        for count in [int(number) for number in options.agents.split(",")]:
            with Children(Path(folder)) as own:
                environment = {"ECHOMIND_API__GUIDE": "false"}
                data_dir, name = Path(folder) / f"data-{count}", f"echomind-{count}"
                product = Product(own, data_dir, agents=count, name=name, environment=environment)
                rows.append(_measure(product, stub_url, count, options))
    data = {"machine": machine, "share": options.share, "seconds": options.seconds, "agents": rows}
    results.write("replicas", "What further agents add", data, _page(data), options.out)


def _measure(product: Product, stub_url: str, count: int, options: argparse.Namespace) -> dict[str, Any]:
    system = echomind(product, stub_url, "EchoMind")
    system.prepare(_PROFILE)
    agents = [process for name, process in product.processes().items() if name.partition("-")[0] == "agent"]
    assert len(agents) == count
    load(system, _PROFILE, options.concurrency, 1.0)
    with ExitStack() as stack:
        for number, process in enumerate(agents):
            stack.enter_context(_limited(process, f"echomind-bench-{number}", options.share))
        busy = busy_seconds()
        cell = load(system, _PROFILE, options.concurrency, options.seconds)
        busy = busy_seconds() - busy
    return {
        "agents": count,
        "turns_a_second": cell["turns_per_s"],
        "errors": cell["errors"],
        "busy_cores": busy / options.seconds,
    }


@contextmanager
def _limited(process: psutil.Process, name: str, share: float) -> Iterator[None]:
    """Gives a process and its threads a part of a core for the length of a with-block."""
    group = _GROUPS / name
    group.mkdir(exist_ok=True)
    (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
    (group / "cpu.cfs_quota_us").write_text(str(int(share * _PERIOD)))
    (before,) = re.findall(r"^\d+:cpu:(.*)$", Path(f"/proc/{process.pid}/cgroup").read_text(), re.MULTILINE)
    (group / "cgroup.procs").write_text(str(process.pid))
    try:
        yield
    finally:
        (_GROUPS / before.lstrip("/") / "cgroup.procs").write_text(str(process.pid))
        group.rmdir()


def _page(data: dict[str, Any]) -> str:
    first = data["agents"][0]["turns_a_second"] / data["agents"][0]["agents"]
    rows = [
        (row["agents"], row["turns_a_second"], row["turns_a_second"] / first, row["busy_cores"], row["errors"])
        for row in data["agents"]
    ]
    head = results.machine_line(data["machine"])
    head += f" Each agent has {data['share']:.0%} of a core; everything else is not limited.\n\n"
    table = results.table(
        ("agents", "answers a second", "times those of one", "cores busy, with other work", "errors"), rows
    )
    return head + table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default="1,2,4,8", help="Counts, with commas between.")
    parser.add_argument("--share", type=float, default=0.04, help="Of a core for each agent.")
    parser.add_argument("--concurrency", type=int, default=64, help="Conversations at once.")
    parser.add_argument("--seconds", type=float, default=12.0, help="Of load for each count.")
    parser.add_argument("--out", type=Path, help="Folder of the results; bench/results by default.")
    options = parser.parse_args()
    if os.geteuid() or not (_GROUPS / "tasks").exists():
        parser.error(f"needs root and {_GROUPS} (control groups, version 1)")
    return options


if __name__ == "__main__":
    main()

"""What further processes of a service add where each has a part of a processor: `python -m bench.replicas`, as root.

A machine of few cores cannot hold the parts apart that a cluster has on machines of their own. So each process of one
service gets a small part of a core (a control group with a quota), and what is beside it as much as it wants: what the
replicas add is then what they add themselves, until something else is the limit.
"""

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import psutil

from bench import results
from bench.children import Children, run_tool
from bench.load import load
from bench.machine import busy_seconds, describe
from bench.product import PROGRAM, Product
from bench.systems import echomind
from echomind.local.data_folder import DataFolder
from echomind.local.embedded.process import LOOPBACK, ProcessSpec, answers_ok, free_port
from echomind.local.stack import EMBEDDING_URL, plan_servers

_PROFILE: Final = "stub-t100-d0"
_PERIOD: Final = 100_000
"""Microseconds in which a quota may be used."""
_GROUPS: Final = Path("/sys/fs/cgroup/cpu")
_DOCUMENTS: Final = 60
_INGEST_SECONDS: Final = 900.0
_ENVIRONMENT: Final = {"ECHOMIND_API__GUIDE": "false"}
Measured = dict[str, float]


def main() -> None:
    """Measures and writes `results/replicas.json` and `.md`."""
    options = _options()
    services: dict[str, Callable[[Children, str, int, Path, argparse.Namespace], Measured]] = {
        "agents": _agents,
        "gateways": _gateways,
        "ingestors": _ingestors,
    }
    data: dict[str, Any] = {"machine": describe(), "seconds": options.seconds, "shares": _shares(options)}
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        _, stub_url = children.start_stub()
        for service in options.services.split(","):
            rows: list[Measured] = []
            data[service] = rows
            for count in [int(number) for number in options.counts.split(",")]:
                with Children(Path(folder)) as own:
                    place = Path(folder) / f"{service}-{count}"
                    rows.append({"count": float(count), **services[service](own, stub_url, count, place, options)})
                print(service, rows[-1], flush=True)
    results.write("replicas", "What further processes add", data, _page(data), options.out)


def _agents(children: Children, stub_url: str, count: int, place: Path, options: argparse.Namespace) -> Measured:
    product = Product(children, place, agents=count, name=place.name, environment=_ENVIRONMENT)
    agents = _processes(product, "agent")
    assert len(agents) == count
    return _answers(product, [product.url], agents, stub_url, options.share, options)


def _gateways(children: Children, stub_url: str, count: int, place: Path, options: argparse.Namespace) -> Measured:
    product = Product(children, place, agents=2, name=place.name, environment=_ENVIRONMENT)
    gateways, urls = _processes(product, "api"), [product.url]
    for _ in range(count - 1):
        process, url = _another_gateway(children, product, len(urls))
        gateways.append(process)
        urls.append(url)
    return _answers(product, urls, gateways, stub_url, options.share, options)


def _another_gateway(children: Children, product: Product, number: int) -> tuple[psutil.Process, str]:
    """Starts one beside that of the product, with its servers."""
    folder = DataFolder(product.data_dir)
    ports = folder.remembered_ports()
    _, environment = plan_servers(folder, ports, os.environ)
    port = free_port()
    environment |= _ENVIRONMENT | {
        EMBEDDING_URL: f"{LOOPBACK}:{ports['embedding']}",
        "ECHOMIND_DATA_DIR": str(product.data_dir),
        "ECHOMIND_API__HTTP_PORT": str(port),
        "ECHOMIND_API__GRPC_PORT": str(free_port()),
        "ECHOMIND_API__OWNER_FILES": "false",
    }
    spec = ProcessSpec(
        name=f"{product.data_dir.name}-{number}",
        argv=[str(PROGRAM.with_name("echomind-api"))],
        env={**os.environ, **environment},
        ready=lambda: answers_ok(port, "/readyz"),
        ready_timeout=60,
    )
    return children.start(spec), f"http://{LOOPBACK}:{port}"


def _ingestors(children: Children, stub_url: str, count: int, place: Path, options: argparse.Namespace) -> Measured:
    del stub_url  # no model is asked
    product = Product(children, place, ingestors=count, name=place.name, environment=_ENVIRONMENT)
    ingestors = _processes(product, "ingestor")
    assert len(ingestors) == count
    corpus = children.work / f"corpus-{count}"
    run_tool("corpus.py", "--out", str(corpus), "--documents", str(_DOCUMENTS), timeout=600)
    command = [str(PROGRAM), "ingest", str(corpus), "--wait", "--json", "--url", product.url, "--api-key", product.key]
    with _all_limited(ingestors, options.ingestor_share):
        busy, began = busy_seconds(), time.perf_counter()
        subprocess.run(command, capture_output=True, timeout=_INGEST_SECONDS, check=True)
        seconds = time.perf_counter() - began
    return {"a_second": _DOCUMENTS / seconds, "errors": 0, "busy_cores": (busy_seconds() - busy) / seconds}


def _processes(product: Product, service: str) -> list[psutil.Process]:
    return [process for name, process in product.processes().items() if name.partition("-")[0] == service]


def _answers(
    product: Product,
    urls: Sequence[str],
    limited: Sequence[psutil.Process],
    stub_url: str,
    share: float,
    options: argparse.Namespace,
) -> Measured:
    """Asks all gateways at once, each as many questions at a time."""
    system = echomind(product, stub_url, "EchoMind")
    system.prepare(_PROFILE)
    load(system, _PROFILE, options.concurrency, 1.0)
    with _all_limited(limited, share), ThreadPoolExecutor(len(urls)) as threads:
        busy = busy_seconds()
        at_once = options.concurrency // len(urls)
        asked = [threads.submit(load, replace(system, base=url), _PROFILE, at_once, options.seconds) for url in urls]
        cells = [each.result() for each in asked]
        busy = busy_seconds() - busy
    return {
        "a_second": sum(cell["turns_per_s"] for cell in cells),
        "errors": sum(cell["errors"] for cell in cells),
        "busy_cores": busy / options.seconds,
    }


@contextmanager
def _all_limited(processes: Sequence[psutil.Process], share: float) -> Iterator[None]:
    with ExitStack() as stack:
        for number, process in enumerate(processes):
            stack.enter_context(_limited(process, f"echomind-bench-{number}", share))
        yield


@contextmanager
def _limited(root: psutil.Process, name: str, share: float) -> Iterator[None]:
    """Gives a process with what it has started and will start a part of a core for the length of a with-block."""
    group = _GROUPS / name
    group.mkdir(exist_ok=True)
    (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
    (group / "cpu.cfs_quota_us").write_text(str(int(share * _PERIOD)))
    (before,) = re.findall(r"^\d+:cpu:(.*)$", Path(f"/proc/{root.pid}/cgroup").read_text(), re.MULTILINE)
    for process in [root, *root.children(recursive=True)]:
        (group / "cgroup.procs").write_text(str(process.pid))
    try:
        yield
    finally:
        for process in [root, *root.children(recursive=True)]:
            (_GROUPS / before.lstrip("/") / "cgroup.procs").write_text(str(process.pid))
        group.rmdir()


def _shares(options: argparse.Namespace) -> dict[str, float]:
    return {"agents": options.share, "gateways": options.share, "ingestors": options.ingestor_share}


def _page(data: dict[str, Any]) -> str:
    text = results.machine_line(data["machine"])
    text += " Each process of the service has a part of a core; everything else is not limited.\n"
    for service, what in (("agents", "answers"), ("gateways", "answers"), ("ingestors", "documents of 1,500 words")):
        if not (measured := data.get(service)):
            continue
        first = measured[0]["a_second"] / measured[0]["count"]
        rows = [
            (int(row["count"]), row["a_second"], row["a_second"] / first, row["busy_cores"], int(row["errors"]))
            for row in measured
        ]
        titles = (service, f"{what} a second", "times those of one", "cores busy, with other work", "errors")
        text += f"\n## {service.capitalize()}, each with {data['shares'][service]:.0%} of a core\n\n"
        text += results.table(titles, rows)
    return text


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--services", default="agents,gateways,ingestors", help="Which, with commas between.")
    parser.add_argument("--counts", default="1,2,4", help="Counts of processes, with commas between.")
    parser.add_argument("--share", type=float, default=0.04, help="Of a core for each agent or gateway.")
    parser.add_argument("--ingestor-share", type=float, default=0.04, help="Of a core for each ingestor.")
    parser.add_argument("--concurrency", type=int, default=64, help="Conversations at once.")
    parser.add_argument("--seconds", type=float, default=12.0, help="Of load for each count.")
    parser.add_argument("--out", type=Path, help="Folder of the results; bench/results by default.")
    options = parser.parse_args()
    if os.geteuid() or not (_GROUPS / "tasks").exists():
        parser.error(f"needs root and {_GROUPS} (control groups, version 1)")
    return options


if __name__ == "__main__":
    main()

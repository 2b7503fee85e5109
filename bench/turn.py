"""What one answered question costs, beside the peers: `python -m bench.turn --peers`.

The stub model server answers at once, so everything that is measured is the systems' own work. In each cell all systems
are loaded one after the other, so that ratios compare like with like on a machine that others use too.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import platformdirs

from bench import results
from bench.baseline import compare
from bench.checkouts import Checkout
from bench.children import Children
from bench.load import idle_cores, load, measure
from bench.machine import calibration_ms, describe
from bench.product import Product
from bench.seeding import SourceReaders, seed
from bench.systems import PEERS_OF_TURNS, System, echomind, raw_stub, start_peers

PLAIN = "EchoMind"
TITLED = "EchoMind, titles given"
"""Conversations that are begun with a title: without the one that a model writes after a first answer."""
RETRIEVING = "EchoMind with retrieval"
DEAF = "EchoMind, useless titles"
"""A model that answers whatever it is asked, also for a title."""
RAW = "raw stub"
_PER_TURN = ("api", "agent", "nats", "postgres")
"""Processes that work on every turn, and are listed; the others are summed up."""
_IDLE_SECONDS = 10.0
_HEADLINES = {
    "CPU ms/turn, 0 ms, 16 at once": ("cpu_ms_total", 0.0, 16),
    "added TTFT ms, 0 ms, 1 at once": ("added_ttft_ms", 0.0, 1),
    "turns/s, 0 ms, 64 at once": ("turns_per_s", 0.0, 64),
    "turns/s, 5 ms, 64 at once": ("turns_per_s", 5.0, 64),
}
"""Field of a cell, and the cell: milliseconds between tokens, and conversations at once."""
_GOALS = {
    PLAIN: {"CPU ms/turn, 0 ms, 16 at once": 1.5, "turns/s, 5 ms, 64 at once": 2.0},
    RETRIEVING: {"CPU ms/turn, 0 ms, 16 at once": 4.0, "turns/s, 5 ms, 64 at once": 1.0},
}
"""Ratios to the proxy's figure that must be reached; retrieval among 100,000 passages."""


def main() -> None:
    """Measures and writes `results/turn.json` and `.md`."""
    options = _options()
    places = [_place(given) for given in options.cells.split(",")]
    profiles = {delay: f"stub-t{options.tokens}-d{delay:g}" for delay, _ in places}
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        work = Path(folder)
        stub, stub_url = children.start_stub()
        systems = [raw_stub(stub_url)]
        if options.peers is not None:
            names = options.peers or list(PEERS_OF_TURNS)
            systems += start_peers(children, options.peers_dir, stub_url, list(profiles.values()), names)
        options.data = options.data or work
        options.data.mkdir(parents=True, exist_ok=True)
        product = Product(children, options.data / "data", agents=options.agents)
        product.settle()
        readers = SourceReaders() if options.permissions else None
        _fill(product, options.corpus_chunks, lambda: seed(product, work, options.corpus_chunks, readers=readers))
        idle = idle_cores(product.processes(), _IDLE_SECONDS)
        systems.append(echomind(product, stub_url, PLAIN))
        systems.append(echomind(product, stub_url, TITLED, title="Measured"))
        systems.append(echomind(product, stub_url, DEAF, "-deaf"))
        if options.corpus_chunks:
            systems.append(echomind(product, stub_url, RETRIEVING, "-tool-cite"))
        ours = [system.name for system in systems if system.adapter == "echomind"]
        for checkout in options.checkout:
            of_checkout = _systems_of(checkout, children, stub_url, options, work)
            ours += [system.name for system in of_checkout]
            systems += of_checkout
        _warm_up(systems, profiles[places[0][0]])
        machine = describe()
        cells: list[dict[str, Any]] = []
        for repetition in range(options.repeat):
            for delay, concurrency in places:
                for system in systems:
                    system.prepare(profiles[delay] + system.profile_suffix)
                    cell = measure(system, (stub, stub_url), profiles[delay], concurrency, options.seconds)
                    where = {"system": system.name, "delay_ms": delay, "concurrency": concurrency}
                    cells.append(where | {"repetition": repetition} | cell)
                    print(_progress(cells[-1]), flush=True)
        machine["calibration_ms_at_end"] = calibration_ms()
    merged = merge(cells)
    data = {
        "machine": machine,
        "options": {"tokens": options.tokens, "seconds": options.seconds, "repeat": options.repeat}
        | {"agents": options.agents, "corpus_chunks": options.corpus_chunks, "permissions": options.permissions},
        "ours": ours,
        "idle_cores": idle,
        "cells": merged,
    }
    results.write(options.name, "What an answered question costs", data, report(data), options.out)


def _place(given: str) -> tuple[float, int]:
    """Returns milliseconds between tokens, and conversations at once, of `5x64`."""
    delay, _, concurrency = given.partition("x")
    return float(delay), int(concurrency)


def _systems_of(
    checkout: Checkout, children: Children, stub_url: str, options: argparse.Namespace, work: Path
) -> list[System]:
    """Starts the product of another checkout, fills it, and returns it as it is measured."""
    product = checkout.start(children, options.data / f"data-{checkout.name}", options.agents)
    client = str(checkout.client)
    systems = [echomind(product, stub_url, checkout.name, client=client)]
    if checkout.gives_titles:
        systems.append(echomind(product, stub_url, f"{checkout.name}, titles given", client=client, title="Measured"))
    _fill(product, options.corpus_chunks, lambda: checkout.seed(product, work, options.corpus_chunks))
    if options.corpus_chunks:
        systems.append(echomind(product, stub_url, f"{checkout.name} with retrieval", "-tool-cite", client))
    return systems


def _fill(product: Product, passages: int, fill: Callable[[], object]) -> None:
    """Fills a data folder, unless an earlier run has filled it and it was kept."""
    mark = product.data_dir / f"{passages}-passages"
    if passages and not mark.exists():
        fill()
        mark.touch()


def merge(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One cell for all repetitions of one: medians, turns and errors added up, and what a turn took beyond the stub."""
    groups: dict[tuple[str, float, int], list[dict[str, Any]]] = {}
    for cell in cells:
        groups.setdefault((cell["system"], cell["delay_ms"], cell["concurrency"]), []).append(cell)
    merged = []
    for (system, delay, concurrency), group in groups.items():
        one: dict[str, Any] = {"system": system, "delay_ms": delay, "concurrency": concurrency}
        one |= {name: sum(cell[name] for cell in group) for name in ("turns", "errors")}
        one["error_examples"] = [example for cell in group for example in cell["error_examples"]][:2]
        for name in group[0]:
            if name not in one and isinstance(group[0][name], int | float):
                one[name] = round(statistics.median(cell[name] for cell in group), 3)
        one["cpu_ms"] = {
            name: round(statistics.median(cell["cpu_ms"][name] for cell in group), 3) for name in group[0]["cpu_ms"]
        }
        one["cpu_ms_total"] = round(sum(one["cpu_ms"].values()), 3)
        merged.append(one)
    raw = {(cell["delay_ms"], cell["concurrency"]): cell for cell in merged if cell["system"] == RAW}
    for cell in merged:
        beside = raw[cell["delay_ms"], cell["concurrency"]]
        cell["added_ttft_ms"] = round(cell["ttft_p50_ms"] - beside["ttft_p50_ms"], 2)
        cell["added_turn_ms"] = round(cell["turn_p50_ms"] - beside["turn_p50_ms"], 2)
    return merged


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    options, cells, ours = data["options"], data["cells"], data["ours"]
    head = ["system", "turns", "errors", "CPU ms/turn", "of it PostgreSQL", "added TTFT ms", "TTFT p50", "TTFT p99"]
    head += [
        "model calls/turn",
        "added turn ms",
        "turns/s",
        "turns/s a core",
        "deltas/turn",
        "stub+client CPU ms",
        "others' cores",
    ]
    text = [results.machine_line(data["machine"])]
    text.append(
        f"{options['tokens']} tokens a turn, 5 turns a session, {options['seconds']:g} s a cell, medians of "
        f"{options['repeat']}; EchoMind with {options['agents']} agent process(es)"
        + (f" and {options['corpus_chunks']} passages for retrieval" if options["corpus_chunks"] else "")
        + (", which their source decides the readers of" if options.get("permissions") else "")
        + ". CPU is all of a system's processes with PostgreSQL; TTFT is the time to the first token.\n"
    )
    text.append(_summary(cells, ours))
    for delay, concurrency in sorted({(cell["delay_ms"], cell["concurrency"]) for cell in cells}):
        here = [cell for cell in cells if (cell["delay_ms"], cell["concurrency"]) == (delay, concurrency)]
        text.append(f"## {delay:g} ms between tokens, {concurrency} at once\n")
        text.append(results.table(head, [_row(cell, ours) for cell in here]))
        text.append(_processes(here, ours))
    text.append("## Ratios: the peer's CPU a turn to EchoMind's\n")
    text.append(_ratios(cells))
    idle = ", ".join(f"{name} {100 * cores:.1f} %" for name, cores in data["idle_cores"].items())
    text.append(f"EchoMind while nobody asks, in percent of a core: {idle}.")
    return "\n".join(text)


def _summary(cells: list[dict[str, Any]], ours: list[str]) -> str:
    """Returns the headlines for each system, empty for cells that were not measured, and those of a fixed commit."""
    measured = {(cell["system"], cell["delay_ms"], cell["concurrency"]): cell for cell in cells}
    rows: list[list[results.Cell]] = []
    for name in dict.fromkeys(cell["system"] for cell in cells if cell["system"] != RAW):
        row: list[results.Cell] = [name]
        for field, delay, concurrency in _HEADLINES.values():
            row.append(measured.get((name, delay, concurrency), {}).get(field))
        rows.append(row)
    text = "## In short\n\n" + results.table(["system", *_HEADLINES], rows)
    return f"{text}\n{compare(measured, _HEADLINES, ours, _GOALS)}"


def _row(cell: dict[str, Any], ours: list[str]) -> list[results.Cell]:
    total = cell["cpu_ms_total"]
    return [
        cell["system"],
        cell["turns"],
        cell["errors"],
        total or None,
        cell["cpu_ms"].get("postgres"),
        cell["added_ttft_ms"] if total else None,
        cell["ttft_p50_ms"],
        cell["ttft_p99_ms"],
        cell["model_calls_a_turn"],
        cell["added_turn_ms"] if total else None,
        cell["turns_per_s"],
        1000 / total if total else None,
        cell["deltas_a_turn"] if cell["system"] in ours else None,
        cell["stub_and_client_cpu_ms"],
        cell["others_cores"],
    ]


def _processes(cells: list[dict[str, Any]], ours: list[str]) -> str:
    """EchoMind's processor time by process."""
    rows: list[list[results.Cell]] = []
    for cell in cells:
        if cell["system"] in ours:
            used = dict(cell["cpu_ms"])
            listed = [sum(used.pop(name) for name in list(used) if name.startswith(role)) for role in _PER_TURN]
            rows.append([cell["system"], *listed, sum(used.values())])
    return results.table(["CPU ms/turn", *_PER_TURN, "all others"], rows)


def _ratios(cells: list[dict[str, Any]]) -> str:
    ours = {(c["delay_ms"], c["concurrency"]): c["cpu_ms_total"] for c in cells if c["system"] == PLAIN}
    places = sorted(ours)
    names = dict.fromkeys(c["system"] for c in cells if c["system"] not in (RAW, PLAIN))
    rows: list[list[results.Cell]] = []
    for name in names:
        totals = {(c["delay_ms"], c["concurrency"]): c["cpu_ms_total"] for c in cells if c["system"] == name}
        rows.append([name, *(totals[place] / ours[place] if ours[place] else None for place in places)])
    return results.table(["system", *(f"{delay:g} ms, {number}" for delay, number in places)], rows)


def _warm_up(systems: list[System], profile: str) -> None:
    """A first session and some load, so that nothing is measured that happens once."""
    for system in systems:
        system.prepare(profile + system.profile_suffix)
        load(system, profile, 1, 20, max_turns=5)
        load(system, profile, 4, 2)


def _progress(cell: dict[str, Any]) -> str:
    used = ", ".join(f"{name} {value:.1f}" for name, value in cell["cpu_ms"].items() if value >= 0.05)
    return (
        f"{cell['delay_ms']:g} ms x {cell['concurrency']}: {cell['system']}: {cell['turns_per_s']} turns/s, "
        f"{cell['model_calls_a_turn']} model calls a turn, TTFT {cell['ttft_p50_ms']} ms, "
        f"CPU ms a turn: {sum(cell['cpu_ms'].values()):.1f} ({used}), {cell['errors']} errors "
        f"{cell['error_examples'] or ''}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what an answered question costs, beside the peers.")
    parser.add_argument("--tokens", type=int, default=100, help="of an answer")
    parser.add_argument(
        "--cells",
        default="0x1,0x16,0x64,5x1,5x16,5x64",
        help="milliseconds between tokens x conversations at once, with commas between",
    )
    parser.add_argument("--seconds", type=float, default=6.0, help="of load in each cell")
    parser.add_argument("--repeat", type=int, default=1, help="how often all cells are measured")
    parser.add_argument("--agents", type=int, default=1, help="EchoMind's agent workers")
    parser.add_argument(
        "--corpus-chunks", type=int, default=100_000, help="passages to retrieve from; 0 leaves retrieval out"
    )
    parser.add_argument(
        "--permissions", action="store_true", help="let the source of the passages decide who may read them"
    )
    parser.add_argument(
        "--peers",
        nargs="*",
        choices=PEERS_OF_TURNS,
        help="install the peers from PyPI and measure them too; all, or those that are named",
    )
    parser.add_argument(
        "--checkout",
        action="append",
        type=Checkout.parse,
        default=[],
        metavar="NAME=FOLDER",
        help="measure the product of another checkout, such as an earlier commit, too; may be repeated",
    )
    parser.add_argument(
        "--data", type=Path, help="keep the data folders in this folder, so that the next run need not fill them"
    )
    parser.add_argument(
        "--peers-dir",
        type=Path,
        default=platformdirs.user_cache_path("echomind-bench"),
        help="where the peers' virtual environments are kept",
    )
    parser.add_argument("--name", default="turn", help="stem of the results' files")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()

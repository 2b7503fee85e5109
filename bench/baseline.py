"""Figures beside those of a fixed commit and of the proxy of the same run."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import results

PROXY = "FastAPI + httpx pass-through"
_FILE = Path(__file__).with_name("baseline.json")


def compare(
    measured: Mapping[tuple[str, float, int], Mapping[str, Any]],
    headlines: Mapping[str, tuple[str, float, int]],
    systems: Sequence[str],
    goals: Mapping[str, Mapping[str, float]],
) -> str:
    """Returns a table: each figure, its ratio to the proxy's, and both of the fixed commit; empty without a proxy.

    Args:
        measured: Cells by system, milliseconds between tokens, and conversations at once.
        headlines: Figures by their names: field of a cell, and the cell.
        systems: Systems to show.
        goals: Ratios to the proxy's figure to reach, by system and headline.
    """
    baseline = json.loads(_FILE.read_text(encoding="utf-8"))
    rows: list[list[results.Cell]] = []
    for system in systems:
        for headline, (field, delay, concurrency) in headlines.items():
            figure = measured.get((system, delay, concurrency), {}).get(field)
            proxy = measured.get((PROXY, delay, concurrency), {}).get(field)
            before = baseline["figures"].get(system, {}).get(headline, {})
            if figure is not None and proxy:
                goal = goals.get(system, {}).get(headline)
                row = [system, headline, figure, figure / proxy, before.get("of_proxy"), goal, before.get("figure")]
                rows.append(row)
    commit = baseline["commit"]
    head = ["system", "figure", "now", "x proxy", f"x proxy at {commit}", "goal", f"figure at {commit}"]
    return f"## Beside {commit}\n\n{results.table(head, rows)}" if rows else ""

"""The figures of the page about sizing follow from its assumptions."""

import json
import math
import re

from tests.paths import ROOT

PAGE = (ROOT / "docs" / "guide" / "sizing.md").read_text()


def rows(header: str) -> list[list[float]]:
    """Returns the numbers of a table that begins with a line."""
    _, _, rest = PAGE.partition(f"{header}\n")
    found: list[list[float]] = []
    for line in rest.splitlines()[1:]:
        if not line.startswith("|"):
            assert found, f"no rows below {header}"
            return found
        found.append([float(cell.replace(",", "")) for cell in re.findall(r"[\d.,]*\d", line)])
    raise AssertionError(header)


def questions(people: float) -> float:
    """Returns questions a second in the busiest hour."""
    return people * 20 / (8 * 3600) * 3


def test_questions_a_second_follow_from_people() -> None:
    header = (
        "| People | Questions a second, busiest hour | Cores for questions, twice what they take | Of them PostgreSQL |"
    )
    for people, rate, cores, *_ in rows(header):
        assert math.isclose(questions(people), rate, rel_tol=0.06)
        assert cores == max(1, round(2 * questions(people) * 0.024))


def test_processes_and_connections_follow_from_people() -> None:
    header = "| People | Open pages | Runs at once | Gateways | Agents | Ingestors | Connections |"
    for people, pages, runs, gateways, agents, ingestors, connections in rows(header):
        at_once = questions(people) * 10
        assert pages == people / 10
        assert runs == max(1, round(at_once))
        assert gateways == max(1, math.ceil(pages / 5000))
        assert agents == math.ceil(at_once / (640 if people == 1_000_000 else 64))
        assert connections == (gateways + agents + ingestors) * 16


def test_a_billion_documents_are_what_the_page_says() -> None:
    passages = 1_000_000_000 * 3 * 4
    assert f"{passages:,} x 192 bytes = {passages * 192 / 1e12:.1f} TB" in PAGE
    assert f"{passages:,} x 1,536 bytes = {passages * 1536 / 1e12:.1f} TB" in PAGE
    hours = passages * 0.02 / 3600
    assert f"{passages:,} x 20 ms = {hours:,.0f} hours of a core, with 100 cores {hours / 100 / 24:.0f} days" in PAGE
    dollars = 2 * 2300 / 4 * 30 + 2 * 18400 * 0.08
    assert f"0.08 dollars = {round(dollars, -2):,.0f} dollars" in PAGE


def test_the_time_of_deletions_follows_from_people() -> None:
    seconds = 10_000 * 20 * 7 / 3100
    assert f"10,000 people x 20 questions x 7 events / 3,100 a second = {seconds / 60:.0f} minutes a day" in PAGE
    assert f"1,000,000 people: {100 * seconds / 3600:.0f} hours a day" in PAGE


def test_what_one_machine_bears_is_what_was_measured() -> None:
    results = ROOT / "bench" / "results"
    turns = (results / "turn.md").read_text()
    for system, figure, said in (
        ("EchoMind with retrieval", "turns/s, 0 ms, 64 at once", "{} a second"),
        ("EchoMind", "turns/s, 0 ms, 64 at once", "{} a second"),
        ("EchoMind", "turns/s, 5 ms, 64 at once", "{} answers a second"),
    ):
        (measured,) = re.findall(rf"^\| {system} \| {figure} \| ([\d.]+) \|", turns, re.MULTILINE)
        assert f"| {said.format(int(float(measured)))}" in PAGE, system
    (passages,) = re.findall(r"End to end ([\d.]+) passages/s", (results / "ingest.md").read_text())
    pages = round(float(passages) * 3600 / 4, -3)
    assert f"| {int(float(passages))} passages a second, {pages:,.0f} pages an hour" in PAGE


def test_what_replicas_add_is_what_was_measured() -> None:
    rows = json.loads((ROOT / "bench" / "results" / "replicas.json").read_text())["agents"]
    counts, answers = ([f"{row[name]:.0f}" for row in rows] for name in ("agents", "turns_a_second"))
    assert f"{', '.join(counts[:-1])} and {counts[-1]}\nagents gave {', '.join(answers[:-1])} and {answers[-1]}" in PAGE

"""Do the tests notice when the code is wrong? Small faults are drawn at random, and each is tried against the tests.

Each fault ("mutant") changes one operator, constant, condition, argument or word of SQL in `access/`, `runs/`,
`events/` or `retrieval/` of `echomind_lib`. It is applied in a copy of the tree, and the tests of its folder run there
until one fails, the nearest first. A mutant that no test notices has survived.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from bench import results
from bench.mutants import Mutant, draw

ROOT: Final = Path(__file__).resolve().parents[1]
LIBRARY: Final = "echomind_lib"
LINKED: Final = (".venv", "web/node_modules", "web/dist")
"""What a copy has from the checkout, as git has none of it."""
SECONDS: Final = 1200
"""After which the tests of a mutant are ended, which counts as noticed: the code hangs."""
NEAREST: Final = {
    "access": "db/test_access_rules.py db/test_session_sources.py retrieval/test_search_access.py",
    "access/assistant_choice": "api/test_assistant_use.py",
    "access/documents": "retrieval/test_search_access.py ingestor/test_permissions.py",
    "access/effective_readers": "ingestor/test_permissions.py",
    "access/knowledge": "api/test_knowledge.py api/test_knowledge_reviews.py",
    "access/memory": "api/test_memories.py agent/test_memory.py",
    "access/notebooks": "api/notebooks",
    "access/source_principals": "ingestor/test_permissions.py",
    "access/sources": "db/test_session_sources.py api/shares/test_links.py",
    "runs": "runs/test_run_machine.py runs/test_queue.py runs/test_lease.py",
    "runs/details": "runs/test_details.py",
    "runs/finish": "runs/test_run_machine.py agent/test_answers.py",
    "runs/parents": "runs/test_sub_runs.py",
    "runs/prompts": "runs/test_checkpoints.py runs/test_details.py",
    "runs/recovery": "runs/test_lease.py agent/test_recovery.py",
    "runs/sub_runs": "runs/test_sub_runs.py",
    "events": "streams/test_streams.py runs/test_run_machine.py",
    "events/replay": "streams/test_reconnecting.py streams/test_streams.py",
    "retrieval": "retrieval/test_search.py",
    "retrieval/documents": "retrieval/test_search_access.py retrieval/test_search.py",
    "retrieval/feedback": "../unit/retrieval",
    "retrieval/language": "../unit/retrieval",
    "retrieval/removals": "retrieval/test_stale_points.py ingestor/test_removal.py",
    "retrieval/sparse": "../unit/retrieval",
    "retrieval/votes": "retrieval/test_votes.py",
}
"""The tests that are tried first, of a folder and of its modules, below `tests/integration`."""
TESTS: Final = {
    "access": "db/test_reader_rules.py api/test_source_permissions.py api/test_references.py api/test_matrix.py"
    " api/test_assistant_versions.py api/test_groups.py api/test_exclusions.py api/shares db retrieval/test_votes.py",
    "runs": "../unit/test_run_states.py runs"
    " streams/test_streams.py streams/test_cancelling.py agent/test_controls.py agent/test_recovery.py"
    " agent/test_parallel.py agent/test_sub_agents.py api/test_runs.py api/test_matrix.py",
    "events": "runs streams agent/test_answers.py agent/test_teams.py api/test_user_events.py",
    "retrieval": "../unit/retrieval retrieval agent/test_extractive.py api/test_feedback.py",
}
"""The tests of a folder that are run when those have not failed."""


@dataclass
class Outcome:
    """What became of a mutant; without `noticed_by` it has survived."""

    mutant: Mutant
    noticed_by: str
    seconds: float
    was_missed: bool = False
    """Whether a test was written for it, as none was known to notice it."""
    remark: str = ""
    """Why nothing notices it, as whoever looked at it says."""


class Tree:
    """A copy of a commit, in which mutants are tried one after the other."""

    def __init__(self, folder: Path, commit: str) -> None:
        self.folder = folder
        self._fails_anyway: dict[str, bool] = {}
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)

    def fails_anyway(self, test: str) -> bool:
        """Returns whether a test fails in the unchanged copy."""
        if test not in self._fails_anyway:
            self._fails_anyway[test] = bool(self.run([test]))
        return self._fails_anyway[test]

    def run(self, tests: list[str]) -> str:
        """Runs tests in the copy until one fails. Returns what failed, or nothing.

        Raises:
            ValueError: There is no such file of tests.
        """
        paths = [".", *(f"services/{name}" for name in ("api", "agent", "ingestor"))]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(self.folder / path) for path in paths)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each run compiles everything
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", "--no-header", "--tb=line", *tests]
        process = subprocess.Popen(
            command, cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            return f"takes more than {SECONDS} s"
        if "ERROR: file or directory not found:" in output:
            raise ValueError(output[-300:])
        if process.returncode in (0, 5) or "ERROR: not found:" in output:  # the test of an earlier report is gone
            return ""
        failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].partition(" - ")[0].partition(" ")[2] if failed else output[-300:]

    def try_out(self, mutant: Mutant, before: str) -> Outcome:
        """Runs a mutant's tests with it.

        Args:
            mutant: A mutant of the copy's commit or of an earlier one.
            before: The test that noticed it earlier, which is tried first; may be empty.
        """
        started = time.monotonic()
        noticed = next(filter(None, (self.noticing(mutant, tests) for tests in self.tests_of(mutant, before))), "")
        return Outcome(mutant, noticed, round(time.monotonic() - started, 1))

    def noticing(self, mutant: Mutant, tests: list[str]) -> str:
        """Returns the first of the tests that fails with a mutant and not without, or nothing."""
        file = self.folder / mutant.path
        original = file.read_text(encoding="utf-8")
        excluded: list[str] = []
        while True:
            file.write_text(mutant.applied_to(original), encoding="utf-8")
            try:
                noticed = self.run([*tests, *(f"--deselect={test}" for test in excluded)])
            finally:
                file.write_text(original, encoding="utf-8")
            if "::" not in noticed or not self.fails_anyway(noticed):
                return noticed
            excluded.append(noticed)

    def tests_of(self, mutant: Mutant, before: str) -> list[list[str]]:
        """Returns which tests are run, one list for each run."""
        _, folder, module = Path(mutant.path).with_suffix("").parts
        nearest = NEAREST.get(f"{folder}/{module}", NEAREST[folder])
        runs = [[f"tests/integration/{path}" for path in paths.split()] for paths in (nearest, TESTS[folder])]
        return [[before], *runs] if before and (self.folder / before.partition("::")[0]).is_file() else runs


def publish(reports: list[dict[str, Any]]) -> None:
    """Writes `results/mutation.json` and `.md` from the reports of several draws."""
    rows, missed = [], []
    for report in reports:
        outcomes = _outcomes(report)
        noticed = [outcome for outcome in outcomes if outcome.noticed_by]
        later = sum(outcome.was_missed for outcome in noticed)
        survived = [outcome for outcome in outcomes if not outcome.noticed_by]
        drawn = report["drawn"], len(outcomes)
        rows.append((report["seed"], report["at"], *drawn, len(noticed) - later, later, len(survived)))
        missed += [f"- `{each.mutant}`: {each.remark or 'not looked at'}." for each in survived]
    head = ("seed", "commit", "drawn", "tried", "noticed", "noticed by tests written for them", "not noticed")
    text = (
        "Small faults drawn at random from `access/`, `runs/`, `events/` and `retrieval/` of `echomind_lib`, each "
        f"tried against the tests nearest to it.\n\n{results.table(head, rows)}\n"
        "Not noticed, with the effect as the code reads:\n\n" + "\n".join(missed)
    )
    results.write("mutation", "Do the tests notice when the code is wrong?", {"draws": reports}, text)


def _outcomes(report: dict[str, Any]) -> list[Outcome]:
    return [Outcome(**each | {"mutant": Mutant(**each["mutant"])}) for each in report["mutants"]]


def main() -> None:
    """Draws mutants, or takes those of an earlier report, tries them, and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=60, help="how many, as many of each folder (default: 60)")
    parser.add_argument("--at", default="HEAD", help="the commit whose code and tests are tried (default: HEAD)")
    parser.add_argument("--again", type=Path, help="a report whose mutants are tried again, instead of drawing")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    parser.add_argument("--out", type=Path, default=Path("test-results/mutation.json"), help="where the report goes")
    parser.add_argument("--publish", type=Path, nargs="+", help="write the results from these reports, and try nothing")
    arguments = parser.parse_args()
    if arguments.publish:
        publish([json.loads(path.read_text(encoding="utf-8")) for path in arguments.publish])
        return
    with tempfile.TemporaryDirectory(prefix="echomind-mutation-") as work:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(arguments.jobs):
            folder = Path(work) / str(number)
            folder.mkdir()
            tree = Tree(folder, arguments.at)
            trees.put(tree)
        earlier: dict[Mutant, Outcome] = {}
        if arguments.again:
            report = json.loads(arguments.again.read_text(encoding="utf-8"))
            earlier = {outcome.mutant: outcome for outcome in _outcomes(report)}
        mutants = list(earlier) or draw(
            tree.folder, [f"{LIBRARY}/{name}" for name in TESTS], arguments.seed, arguments.count
        )

        def attempt(mutant: Mutant) -> Outcome:
            tree = trees.get()
            try:
                before = earlier.get(mutant)
                outcome = tree.try_out(mutant, before.noticed_by if before else "")
            finally:
                trees.put(tree)
            if before:
                outcome.was_missed, outcome.remark = before.was_missed or not before.noticed_by, before.remark
            print(f"{outcome.seconds:6.0f} s  {mutant}  {outcome.noticed_by or 'SURVIVED'}", flush=True)
            return outcome

        with ThreadPoolExecutor(arguments.jobs) as pool:
            outcomes = list(pool.map(attempt, mutants))
    survived = [outcome for outcome in outcomes if not outcome.noticed_by]
    print(f"{len(outcomes) - len(survived)} of {len(outcomes)} were noticed (seed {arguments.seed}, {arguments.at}).")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    report = {"seed": arguments.seed, "at": arguments.at, "drawn": len(mutants)}
    report |= {"mutants": [asdict(outcome) for outcome in outcomes]}
    arguments.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

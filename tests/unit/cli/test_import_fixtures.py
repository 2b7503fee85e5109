"""The command line reads the files of other programs as the web UI does: see `tests/fixtures/exports`."""

import json
from typing import Any

import pytest

from echomind.cli.programs.owners import Owner, Owners
from echomind.cli.programs.tables import table_conversations
from tests.paths import ROOT

FILES = ROOT / "tests" / "fixtures" / "exports"
EXPECTED: dict[str, Any] = json.loads((FILES / "expected.json").read_text("utf-8"))


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        given = {name: without_empty(each) for name, each in value.items()}
        return {name: each for name, each in given.items() if each is False or each not in (None, 0, "")}
    return [without_empty(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", EXPECTED["files"])
def test_conversations_are_those_of_the_web_ui(name: str) -> None:
    found = table_conversations(FILES / name)
    assert found is not None
    assert [without_empty(json.loads(each)) for each in found] == EXPECTED["files"][name]


def test_owners_are_those_of_the_web_ui() -> None:
    owners = Owners(FILES / "people.csv")
    for case in EXPECTED["owners"]:
        assert owners.of(json.dumps(case["conversation"])) == Owner(case["name"], case["email"]), case

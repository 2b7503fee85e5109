"""The licences of what the product runs with: stated, as recorded, and fit for a product under Apache-2.0."""

from importlib import metadata
from pathlib import Path

import pytest

from tools import licences


def test_every_locked_dependency_has_its_recorded_licence() -> None:
    assert len(licences.locked()) > 80
    assert licences.problems() == []


def test_a_changed_licence_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    record = tmp_path / "licences.tsv"
    text = licences.RECORD.read_text(encoding="utf-8")
    record.write_text(text.replace("kreuzberg\tMIT\t", "kreuzberg\tElastic-2.0\t"), encoding="utf-8")
    monkeypatch.setattr(licences, "RECORD", record)
    assert [problem.partition(":")[0] for problem in licences.problems()] == ["kreuzberg"]


@pytest.mark.parametrize(
    ("stated", "problem"),
    [("", "states no licence"), ("Elastic-2.0", "does not fit"), ("AGPL-3.0-only", "does not fit")],
)
def test_unfit_and_missing_licences_are_found(stated: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "locked", lambda: ["some-library"])
    monkeypatch.setattr(licences, "licence_of", lambda name: (stated, "text"))
    assert problem in licences.problems()[0]


def test_the_text_of_a_licence_is_looked_for_in_the_wheel() -> None:
    assert licences.licence_of("kreuzberg") == ("MIT", "-")
    assert licences.licence_of("rapidocr") == ("Apache-2.0", "text")
    assert metadata.version("rapidocr")

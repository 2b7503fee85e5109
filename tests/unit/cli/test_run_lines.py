"""Lines of text that several members write concurrently."""

from echomind.cli.conversations.run_lines import RunLines
from echomind_lib.models.public import RunText


def piece(offset: int, text: str, attempt: int = 1) -> RunText:
    return RunText(attempt=attempt, offset=offset, text=text)


def test_lines_are_given_once_each_when_they_are_whole() -> None:
    lines = RunLines("Ada")
    assert lines.added(piece(0, "One")) == []
    assert lines.added(piece(3, ".\nTwo")) == ["Ada │ One."]
    assert lines.added(piece(0, "One.\nTwo")) == []
    assert lines.rest() == ["Ada │ Two"]
    assert lines.rest() == []


def test_a_long_paragraph_is_given_in_parts_and_a_later_attempt_begins_again() -> None:
    lines = RunLines("Ada")
    (first,) = lines.added(piece(0, "word " * 25))
    assert first == "Ada │ " + " ".join(["word"] * 20)
    assert lines.added(piece(500, "lost")) == []
    assert lines.added(piece(0, "Again.\n", attempt=2)) == ["Ada │ Again."]
    assert lines.added(piece(7, "old", attempt=1)) == []

"""The words that say why a run ended early: the contract lists each that can be written."""

import re
from collections.abc import Iterator
from pathlib import Path

import echomind_agent
from echomind_agent.execution.finish import reason_of
from echomind_lib import runs
from echomind_lib.errors import DependencyUnavailableError, LlmUnavailableError
from echomind_lib.llms import LlmError
from echomind_lib.models.public import RunError
from tests.drivers.tables import for_each

_WRITTEN = re.compile(r'(?:LimitError\(|"reason": )"(\w+)"')
CATALOGUED = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", RunError.model_fields["reason"].description or ""))


def kinds(kind: type[LlmError] = LlmError) -> Iterator[type[LlmError]]:
    """A kind of model error with all that are one."""
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def words_in_code() -> set[str]:
    folders = [Path(package.__path__[0]) for package in (echomind_agent, runs)]
    return {word for folder in folders for path in folder.rglob("*.py") for word in _WRITTEN.findall(path.read_text())}


def test_every_word_in_the_code_is_catalogued() -> None:
    words = words_in_code()
    assert words >= {"MAX_STEPS", "MAX_TOKENS", "MAX_COST", "TIMEOUT", "INTERRUPTED", "QUESTION_TOO_LONG", "INTERNAL"}
    assert words <= CATALOGUED


@for_each("kind", list(kinds()))
def test_every_error_of_a_model_is_catalogued(kind: type[LlmError]) -> None:
    assert reason_of(kind("x")) in CATALOGUED


def test_the_words_of_errors() -> None:
    assert {reason_of(kind("x")) for kind in kinds()} >= {"LLM_ERROR", "LLM_RATE_LIMITED", "LLM_STREAM_BROKEN"}
    assert reason_of(DependencyUnavailableError("x", dependency="nats")) == "DEPENDENCY_UNAVAILABLE"
    assert reason_of(LlmUnavailableError("x", assistant_id="1")) == "LLM_UNAVAILABLE"

"""The second check of citations: what a model decides, and what stands when it does not answer."""

from collections.abc import AsyncGenerator, AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.entailment import Pair, TeiEntailment
from echomind_agent.evidence.sources import Sources
from echomind_agent.execution.verification import Verifier
from echomind_agent.main import try_verification
from echomind_agent.state.budget import Budget
from echomind_lib.config import Settings, VerifySettings
from echomind_lib.llms import ChatEvent, ChatRequest, Completion, Usage, open_model_session
from echomind_lib.retrieval import Hit
from tests.drivers.entailment_server import EntailmentDouble, entailment_server

OFFICE = "The office in Oslo opens at nine. The office in Bergen was opened by Ada Holm in the spring of that year."
RIGHT, WRONG = "The office in Oslo opens at nine [1].", "The office in Bergen opens at nine [1]."


class Model:
    """A chat model that gives the same verdicts each time."""

    name = "judge"

    def __init__(self, text: str) -> None:
        self.text = text
        self.requests: list[ChatRequest] = []

    async def close(self) -> None: ...

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.requests.append(request)
        yield Completion(self.text, "", [], "stop", Usage(100, 10), "judge")


@pytest_asyncio.fixture
async def double() -> AsyncIterator[EntailmentDouble]:
    async with entailment_server() as running:
        yield running


def sources() -> Sources:
    found = Sources()
    found.add([Hit("c", 1, 1, "s", "Offices", OFFICE, (), None, 0, len(OFFICE), 0.5, 0.5)])
    return found


def state(model: Model | None = None, **limits: Any) -> Any:
    """The state of a run with a chat model that writes."""
    given = {"steps": 20, "tokens": 0, "cost": 0, "seconds": 60, "retries": 2, "has_quotas": False} | limits
    record = SimpleNamespace(is_extractive=False, model_id="judge", provider="openai", endpoint="", input_price=None)
    record.output_price = record.cached_price = None
    usage = SimpleNamespace(steps=0, tokens=0, cost=0.0, seconds=0.0)
    run = SimpleNamespace(id="r", model=record, limits=SimpleNamespace(**given), usage=usage)
    budget = Budget.__new__(Budget)
    budget.steps, budget.tokens, budget.cost, budget.free_steps = 0, 0, 0.0, 0
    budget.below = SimpleNamespace(tokens=0, cost=0.0)  # type: ignore[assignment]
    budget._limits = run.limits
    return SimpleNamespace(run=run, budget=budget, context=SimpleNamespace(model=model))


async def verified(settings: VerifySettings, text: str, run: Any) -> list[tuple[bool, bool]]:
    async with open_model_session() as http:
        found = await Verifier(settings, http).verify(run, text, cite(text, sources()), sources())
    return [(citation.supported, citation.verified) for citation in found]


async def test_an_endpoint_decides_on_what_the_check_of_words_has_passed(double: EntailmentDouble) -> None:
    settings = VerifySettings(provider="tei", url=double.url)
    text = f"{RIGHT} {WRONG} Pigs fly to Japan on Sundays [1]."
    assert [citation.supported for citation in cite(text, sources())] == [True, True, False]
    double.answer = [[{"label": "ENTAILMENT", "score": 0.9}], [{"label": "ENTAILMENT", "score": 0.1}]]
    assert await verified(settings, text, state()) == [(True, True), (False, True), (False, False)]
    (request,) = double.requests
    assert request["inputs"] == [[OFFICE, RIGHT.replace(" [1]", "")], [OFFICE, WRONG.replace(" [1]", "")]]


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"status": 503}, "503"),
        ({"is_slow": True}, "too long"),
        ({"answer": {"no": "list"}}, "no lists of labels"),
        ({"answer": []}, "0 results for 1"),
        ({"label": "LABEL_0"}, "none is `entailment`"),
    ],
)
async def test_without_an_answer_the_check_of_words_stands(
    double: EntailmentDouble, changes: dict[str, Any], cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in changes.items():
        setattr(double, name, value)
    settings = VerifySettings(provider="tei", url=double.url, seconds=0.2)
    async with open_model_session() as http:
        verifier = Verifier(settings, http)
        for _ in range(2):
            found = await verifier.verify(state(), RIGHT, cite(RIGHT, sources()), sources())
            assert [(citation.supported, citation.verified) for citation in found] == [(True, False)]
    assert len(double.requests) == 1, "a server that has failed is left alone for a while"


async def test_the_number_of_compared_citations_is_limited(double: EntailmentDouble) -> None:
    text = f"{RIGHT} {RIGHT.replace('opens', 'opens up')}"
    settings = VerifySettings(provider="tei", url=double.url, citations=1)
    assert await verified(settings, text, state()) == [(True, True), (True, False)]


async def test_the_chat_model_of_the_answer_is_asked_once_and_counted() -> None:
    model = Model('{"supported": [true, false]}')
    run = state(model)
    assert await verified(VerifySettings(provider="model"), f"{RIGHT} {WRONG}", run) == [(True, True), (False, True)]
    (request,) = model.requests
    assert request.answer_schema is not None
    assert (run.budget.tokens, run.budget.steps) == (110, 0)


@pytest.mark.parametrize("text", ["yes", '{"supported": [true]}', '{"supported": "all"}', "{}"])
async def test_a_chat_model_that_answers_otherwise_changes_nothing(text: str) -> None:
    run = state(Model(text))
    settings = VerifySettings(provider="model")
    assert await verified(settings, f"{RIGHT} {WRONG}", run) == [(True, False), (True, False)]


@pytest.mark.parametrize("limits", [{"tokens": 1}, {"has_quotas": True}])
async def test_a_chat_model_is_not_asked_beyond_the_limits_of_a_run(limits: dict[str, Any]) -> None:
    model = Model('{"supported": [true]}')
    run = state(model, **limits)
    run.budget.tokens = 5
    assert await verified(VerifySettings(provider="model"), RIGHT, run) == [(True, False)]
    assert model.requests == []


async def test_quotations_of_the_built_in_model_are_not_compared(double: EntailmentDouble) -> None:
    run = state()
    run.run.model.is_extractive = True
    assert await verified(VerifySettings(provider="tei", url=double.url), RIGHT, run) == [(True, False)]
    assert double.requests == []


async def test_the_connection_is_tested_before_it_is_used(double: EntailmentDouble) -> None:
    settings = Settings(verify=VerifySettings(provider="tei", url=f"{double.url}/predict"))
    assert await try_verification(settings) == ""
    double.answer = [[{"label": "entailment", "score": 0.9}]] * 2
    assert "does not tell supported sentences from contradicted" in await try_verification(settings)
    double.status = 401
    assert "401" in await try_verification(settings) or "key" in await try_verification(settings)
    assert "no endpoint" in await try_verification(Settings())


async def test_more_pairs_than_a_request_may_have(double: EntailmentDouble) -> None:
    async with open_model_session() as http:
        entailment = TeiEntailment(double.url, "", 0.5, http)
        found = await entailment.supports([Pair("a b", "a" if number % 2 else "c") for number in range(40)])
    assert found == [bool(number % 2) for number in range(40)]
    assert [len(request["inputs"]) for request in double.requests] == [32, 8]


def test_an_endpoint_needs_an_address() -> None:
    with pytest.raises(ValueError, match="give the address of the server"):
        VerifySettings(provider="tei")

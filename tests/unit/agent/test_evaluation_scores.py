"""Results of evaluations as scores of traces: which there are, and how Langfuse receives them."""

import asyncio
from contextlib import suppress
from uuid import UUID

import pytest
from pydantic import SecretStr

from echomind_agent.evaluation.judge import NOT_JUDGED, Judgement
from echomind_agent.evaluation.scores import EvaluationScores, evaluation_scores, result_scores
from echomind_agent.evaluation.scoring import Score
from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry import spans
from echomind_lib.telemetry.scores import TraceScore
from tests.drivers.collector import SCORES_PATH, Collector, collecting

RUN = UUID("0190a000-0000-7000-8000-000000000001")


class _Recorder:
    has_content = False

    def record(self, span: spans.Span) -> None:
        raise AssertionError

    def is_sampled(self, trace_id: int) -> bool:
        return trace_id == RUN.int

    def new_fields(self) -> dict[str, spans.Value]:
        return {}


def measured(
    rank: int | None = None,
    documents: float | None = None,
    passages: float | None = None,
    facts: float | None = None,
    judgement: Judgement = NOT_JUDGED,
    cited: tuple[int, int] = (0, 0),
) -> dict[str, object]:
    score = Score(rank=rank, document_share=documents, passage_share=passages, fact_share=facts, missing=())
    found = result_scores(RUN, score, citations=cited[0], supported_citations=cited[1], judgement=judgement)
    return {each.name: each.value for each in found}


def test_what_was_expected_has_a_score_and_nothing_else() -> None:
    assert measured() == {}
    assert measured(documents=0) == {"evaluation-documents": 0, "evaluation-reciprocal-rank": 0}
    everything = measured(2, 0.5, 1, 0.25, Judgement(score=0.5, reason="Half."), (4, 3))
    assert everything == {
        "evaluation-documents": 0.5,
        "evaluation-reciprocal-rank": 0.5,
        "evaluation-passages": 1,
        "evaluation-facts": 0.25,
        "evaluation-citations": 0.75,
        "evaluation-judge": 0.5,
    }


async def sent(collector: Collector, settings: TelemetrySettings, *scores: TraceScore) -> None:
    sender = evaluation_scores(settings)
    assert sender is not None
    expected = len(collector.scores) + 1
    for score in scores:
        sender.put(score)
    task = asyncio.create_task(sender.run())
    try:
        await asyncio.to_thread(collector.wait, lambda: len(collector.scores) == expected, 10)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_langfuse_gets_the_scores_of_traces_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "recorder", _Recorder())
    judged = TraceScore(
        id="s-1", run_id=RUN, name="evaluation-judge", value=1.0, comment="Right, with sk-proj-0123456789abcdefghijkl."
    )
    unsampled = TraceScore(id="s-2", run_id=UUID(int=7), name="evaluation-facts", value=0.0)
    with collecting() as collector:
        settings = TelemetrySettings(
            langfuse_url=f"{collector.url}/", langfuse_public_key="pk", langfuse_secret_key=SecretStr("sk")
        )
        await sent(collector, settings, unsampled, judged)
        given = {"id": "s-1", "traceId": f"{RUN.int:032x}", "name": "evaluation-judge", "dataType": "NUMERIC"}
        assert collector.scores == [given | {"value": 1.0}], "without content, and only of the sampled trace"
        assert (collector.headers[0]["path"], collector.headers[0]["authorization"]) == (SCORES_PATH, "Basic cGs6c2s=")
        with_content = settings.model_copy(update={"content": True, "environment": "test"})
        await sent(collector, with_content, judged)
        assert collector.scores[1]["environment"] == "test"
        assert collector.scores[1]["comment"].startswith("Right, with ")
        assert "0123456789" not in collector.scores[1]["comment"]


def test_nothing_is_sent_without_langfuse() -> None:
    assert evaluation_scores(TelemetrySettings()) is None
    assert isinstance(
        evaluation_scores(
            TelemetrySettings(langfuse_url="http://x", langfuse_public_key="p", langfuse_secret_key=SecretStr("s"))
        ),
        EvaluationScores,
    )

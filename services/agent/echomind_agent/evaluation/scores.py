"""Results of evaluations as scores in Langfuse, of the traces of the answers."""

from collections.abc import Mapping
from uuid import UUID

from typing_extensions import override

from echomind_agent.evaluation.judge import Judgement
from echomind_agent.evaluation.scoring import Score
from echomind_lib.config import TelemetrySettings
from echomind_lib.telemetry.scores import ScoreSender, TraceScore


class EvaluationScores(ScoreSender[TraceScore]):
    """Sends what evaluations have measured to Langfuse."""

    @override
    async def score_of(self, measured: TraceScore) -> TraceScore:
        return measured


def evaluation_scores(settings: TelemetrySettings) -> EvaluationScores | None:
    """Returns what sends scores; None if no Langfuse is configured."""
    return EvaluationScores(settings) if settings.langfuse_url else None


def result_scores(
    run_id: UUID, score: Score, *, citations: int, supported_citations: int, judgement: Judgement
) -> list[TraceScore]:
    """Returns the scores of a question's answer: of what was expected of it, each 0 to 1.

    Args:
        run_id: The run that answered.
        score: What was measured by rules.
        citations: Number of cited sentences.
        supported_citations: Number of cited sentences that their source supports.
        judgement: What the judge thinks of it; its reason is the comment of its score.
    """
    reciprocal_rank = None if score.document_share is None else 1 / score.rank if score.rank else 0.0
    values: Mapping[str, float | None] = {
        "documents": score.document_share,
        "reciprocal-rank": reciprocal_rank,
        "passages": score.passage_share,
        "facts": score.fact_share,
        "citations": supported_citations / citations if citations else None,
        "judge": judgement.score,
    }
    return [
        TraceScore(
            id=f"{run_id}-evaluation-{name}",
            run_id=run_id,
            name=f"evaluation-{name}",
            value=float(value),
            comment=judgement.reason if name == "judge" else "",
        )
        for name, value in values.items()
        if value is not None
    ]

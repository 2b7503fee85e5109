"""Evaluation of assistants: datasets of questions, and what came of asking them."""

from echomind_api.evaluation.datasets import EvaluationDatasets
from echomind_api.evaluation.runs import EvaluationRuns

__all__ = ["EvaluationDatasets", "EvaluationRuns"]

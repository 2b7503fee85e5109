"""The second check of citations, by a model, of those that the check of words has passed. Off unless it is set up."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import aiohttp
import structlog

from echomind_agent.evidence.citations import without_markers
from echomind_agent.evidence.entailment import (
    SOURCE_CHARACTERS,
    ModelEntailment,
    Pair,
    TeiEntailment,
    VerdictError,
)
from echomind_agent.evidence.sources import Sources
from echomind_agent.state.budget import LimitError
from echomind_agent.state.run import RunState
from echomind_lib.config import VerifySettings
from echomind_lib.llms import LlmError
from echomind_lib.llms.prices import cost_of
from echomind_lib.runs.citation_rows import NewCitation

log = structlog.get_logger(__name__)

_AWAY_SECONDS: Final = 30.0
"""After the server of an endpoint has failed, how long it is not asked."""


class Verifier:
    """Compares the cited sentences of answers with their sources. Safe for concurrent use."""

    def __init__(self, settings: VerifySettings, http: aiohttp.ClientSession) -> None:
        """Prepares requests; nothing is sent yet.

        Args:
            settings: With a provider.
            http: A session of `llms.open_model_session`. The caller closes it.

        Raises:
            LlmConfigInvalid: The endpoint cannot be used.
        """
        self._settings = settings
        key = settings.api_key.get_secret_value()
        is_endpoint = settings.provider == "tei"
        self.endpoint = TeiEntailment(settings.url, key, settings.threshold, http) if is_endpoint else None
        """The endpoint; None if the chat model of each answer is asked."""
        self._away_until = 0.0

    async def verify(
        self, state: RunState, text: str, citations: list[NewCitation], sources: Sources
    ) -> list[NewCitation]:
        """Returns citations with the verdicts of the model; unchanged where it gives none in time.

        Quotations of the built-in model need no check. Calls of a chat model count towards the run's limits of tokens
        and cost, and are not made when these are reached.

        Args:
            state: The run.
            text: Its answer.
            citations: The citations of the text, as the check of words found them.
            sources: The sources by the numbers of the citations.
        """
        run, clock = state.run, asyncio.get_running_loop().time
        if run.model is None or run.model.is_extractive or clock() < self._away_until:
            return citations
        pairs: dict[Pair, None] = {}
        by_citation: dict[int, Pair] = {}
        for index, citation in enumerate(citations):
            source = sources.get(citation.number)
            if citation.supported and source is not None and len(by_citation) < self._settings.citations:
                sentence = without_markers(text[citation.sentence_start : citation.sentence_end]).strip()
                by_citation[index] = Pair(source.text[:SOURCE_CHARACTERS], sentence)
                pairs[by_citation[index]] = None
        if not pairs:
            return citations
        try:
            async with asyncio.timeout(self._settings.seconds):
                verdicts = dict(zip(pairs, await self._ask(state, list(pairs)), strict=True))
        except (LlmError, VerdictError, LimitError, TimeoutError) as error:
            if self.endpoint is not None:
                self._away_until = clock() + _AWAY_SECONDS
            log.warning("citations not compared by a model", run_id=str(run.id), error=str(error) or "it took too long")
            return citations
        return [
            replace(citation, verified=True, supported=verdicts[by_citation[index]])
            if index in by_citation
            else citation
            for index, citation in enumerate(citations)
        ]

    async def _ask(self, state: RunState, pairs: Sequence[Pair]) -> list[bool]:
        if self.endpoint is not None:
            return await self.endpoint.supports(pairs)
        context, record = state.context, state.run.model
        if context is None or record is None or state.run.limits.has_quotas:
            raise VerdictError("the run's model cannot be asked beside its answer")
        state.budget.check()
        model = ModelEntailment(context.model)
        try:
            return await model.supports(pairs)
        finally:
            state.budget.spend_beside(model.usage, float(cost_of(record, model.served, model.usage) or 0))

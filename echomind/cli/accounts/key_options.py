"""The options of API keys, of people and of service accounts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.nouns import ASSISTANTS, CONNECTORS
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public
from echomind_lib.models.public import words

OverlapHours = Annotated[
    int,
    typer.Option(help="Hours for which the earlier secret still works; 0: it stops in a minute.", max=168, min=0),
]
_QUOTA = {"max_questions": "questions", "max_tokens": "tokens", "max_cost": "cost"}
"""The fields of a quota with their options."""
_RATES = {
    "max_requests_per_minute": "requests_per_minute",
    "max_concurrent_runs": "runs",
    "max_concurrent_streams": "streams",
}


@dataclass(frozen=True, kw_only=True)
class KeyOptions:
    """What a new key may do, and for how long."""

    days: Annotated[
        int | None, typer.Option(help="Days until it expires.", min=1, max=36_500, show_default="never")
    ] = None
    scope: Annotated[
        list[words.ApiKeyScope] | None,
        typer.Option(help="What the key may do; repeat it for several.", show_default="read, ask, ingest and manage"),
    ] = None
    assistant: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this assistant, by name or id; repeat it for several.",
            autocompletion=completion.assistants,
            show_default="all",
        ),
    ] = None
    connector: Annotated[
        list[str] | None,
        typer.Option(
            help="Only the documents of this connector, by name or id; repeat it for several.",
            autocompletion=completion.connectors,
            show_default="all",
        ),
    ] = None

    async def fields(self, api: Api, *more: words.ApiKeyScope) -> dict[str, Any]:
        """Returns the fields of a request that creates a key, which has also the scopes `more`.

        Raises:
            CommandError: There is no such assistant or connector.
        """
        scopes = dict.fromkeys([*(self.scope or []), *more])
        return {
            "expires_at": datetime.now(UTC) + timedelta(days=self.days) if self.days else None,
            "scopes": [public.ApiKeyScope.from_word(word) for word in scopes],
            "assistant_ids": sorted({(await ASSISTANTS.find(api, each)).id for each in self.assistant or []}),
            "connector_ids": sorted({(await CONNECTORS.find(api, each)).id for each in self.connector or []}),
        }


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a quota or a key: None for what stays, 0 for no limit."""

    questions: Annotated[int | None, typer.Option("--questions", help="Maximum number of questions.", min=0)] = None
    tokens: Annotated[int | None, typer.Option("--tokens", help="Maximum tokens of prompts and answers.", min=0)] = None
    cost: Annotated[float | None, typer.Option("--cost", help="Maximum cost in US dollars.", min=0)] = None
    requests_per_minute: Annotated[
        int | None, typer.Option("--requests-per-minute", help="Maximum number of requests a minute.", min=0)
    ] = None
    runs: Annotated[
        int | None, typer.Option("--runs", help="Maximum number of unfinished questions at a time.", min=0)
    ] = None
    streams: Annotated[
        int | None, typer.Option("--streams", help="Maximum number of open streams at a time.", min=0)
    ] = None

    def given(self) -> dict[str, Any]:
        """Returns the fields of the contract that are given."""
        values = {field: getattr(self, option) for field, option in (_QUOTA | _RATES).items()}
        return {field: value for field, value in values.items() if value is not None}

    @property
    def is_at_a_time(self) -> bool:
        """Returns whether something is limited that is done at a time."""
        return not self.given().keys().isdisjoint(_RATES)


@dataclass(frozen=True, kw_only=True)
class LimitOptions(Limits):
    """Quotas and limits of a key."""

    each: Annotated[words.QuotaPeriod, typer.Option("--each", help="Day or month of questions, tokens and cost.")] = (
        words.QuotaPeriod.MONTH
    )

    def changed(self, key: "public.ApiKey") -> dict[str, Any]:
        """Returns the fields of a request that sets the quotas and limits of a key: those it has, with changes.

        Raises:
            NothingToChangeError: Nothing changes.
        """
        given = self.given()
        if not given:
            raise NothingToChangeError(
                "Say what to limit: --questions, --tokens, --cost, --requests-per-minute, --runs or --streams."
            )
        found = {quota.period: {field: getattr(quota, field) for field in _QUOTA} for quota in key.quotas}
        own = found.setdefault(public.QuotaPeriod.from_word(self.each.value), dict.fromkeys(_QUOTA, 0))
        own |= {field: given[field] for field in _QUOTA if field in given}
        limited = {
            period: {field: value for field, value in values.items() if value} for period, values in found.items()
        }
        quotas = [public.ApiKeyQuota(period=period, **values) for period, values in limited.items() if values]
        rates = {field: given.get(field, getattr(key, field)) for field in _RATES}
        return {"quotas": quotas} | {field: value for field, value in rates.items() if value}

"""Cost of an answer, from the price list of `genai-prices` (extra `agent`).

The list is read from the installed package. That package can also fetch newer prices if its updater is started, which
never happens here, so no request leaves the machine.

The list is loaded at the first look-up of a public endpoint, which takes about half a second and 30 MB: call
`load_prices` in a thread before it is needed. A self-hosted server (plain HTTP, or a host that the list does not know)
has no price, and plain HTTP never loads the list.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Final

from echomind_lib.db.words import LlmProvider
from echomind_lib.llms.endpoints import normalise_endpoint
from echomind_lib.llms.errors import LlmConfigInvalid
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.types import Usage

_PRICED_TOKENS: Final = 1_000_000
"""Number of tokens to which the prices of a stored model refer."""
_ENDPOINTS: Final = 64
"""Endpoints of which is remembered whether they are public, which each answer asks."""


def load_prices(provider: LlmProvider, endpoint: str | None) -> None:
    """Loads the price list now rather than at the first look-up, unless the endpoint has no prices."""
    if _public_url(provider, endpoint):
        _price_list()


def cost_of(model: LlmRecord, model_id: str, usage: Usage) -> Decimal | None:
    """Returns what one answer of a stored model costs in US dollars, or None if its price is unknown.

    Prices set for the model take precedence over the list; they do not distinguish cached tokens.

    Args:
        model: The model.
        model_id: The more precise name of the `Completion`.
        usage: Tokens.
    """
    if model.input_price is None or model.output_price is None:
        return price_of(model.provider, model.endpoint, model_id, usage)
    tokens = (usage.prompt_tokens, model.input_price), (usage.completion_tokens, model.output_price)
    return sum((count * Decimal(str(price)) for count, price in tokens), Decimal(0)) / _PRICED_TOKENS


def price_of(
    provider: LlmProvider, endpoint: str | None, model_id: str, usage: Usage, at: datetime | None = None
) -> Decimal | None:
    """Returns the price of one answer in US dollars from the list, or None if unknown.

    Args:
        provider: As in the model's configuration.
        endpoint: As in the model's configuration; it identifies the provider whose prices apply.
        model_id: The configured name, or the more precise one of the `Completion`.
        usage: Tokens; cached ones are priced as such.
        at: Time of the answer, with time zone; None for now. Prices may depend on it.
    """
    url = _public_url(provider, endpoint)
    if not url:
        return None
    calculate, make_usage = _price_list()
    counts = make_usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        priced = calculate(counts, model_id, provider_api_url=url, genai_request_timestamp=at)
    except (LookupError, ValueError):  # not listed, or not priced by these counts
        return None
    return Decimal(priced.total_price)


@lru_cache(_ENDPOINTS)
def _public_url(provider: LlmProvider, endpoint: str | None) -> str:
    """Returns the address of an endpoint that may have prices; empty for others."""
    if provider == "extractive":
        return ""
    try:
        url = normalise_endpoint(provider, endpoint)
    except LlmConfigInvalid:
        return ""
    return url if url.startswith("https://") else ""


@cache
def _price_list() -> tuple[Callable[..., Any], Callable[..., Any]]:
    from genai_prices import Usage as PricedUsage
    from genai_prices import calc_price

    calc_price(PricedUsage(), "gpt-4o", provider_id="openai")  # loads the price list
    return calc_price, PricedUsage

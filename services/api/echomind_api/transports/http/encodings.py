"""Selects the encoding of a stored file for a browser (RFC 9110, section 12.5.3)."""

from collections.abc import Collection
from typing import Final

SUFFIXES: Final = {"br": ".br", "gzip": ".gz"}
"""Suffixes of compressed files by content coding, smallest first."""


def preferred(accepted: str, available: Collection[str]) -> str | None:
    """Returns the best of the available codings, or None for the file as it is.

    Args:
        accepted: The header `Accept-Encoding`; empty when there is none.
        available: Codings that the file is stored in.
    """
    weights = _weights(accepted)
    rest = weights.get("*", 0.0)
    # If the header does not list `identity`, it is acceptable, but least preferred.
    best, best_weight = None, weights.get("identity", 0.0)
    for coding in SUFFIXES:
        weight = weights.get(coding, rest)
        if coding in available and weight > 0 and (weight > best_weight or (best is None and weight == best_weight)):
            best, best_weight = coding, weight
    return best


def _weights(accepted: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameter = part.partition(";")
        key, _, value = parameter.partition("=")
        try:
            weight = float(value) if key.strip() == "q" else 1.0
        except ValueError:
            weight = 0.0
        if name.strip():
            weights[name.strip()] = min(max(weight, 0.0), 1.0)
    return weights

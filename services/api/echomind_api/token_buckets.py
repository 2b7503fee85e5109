"""Limits of how often: a bucket of tokens for each key, which fills again at a steady rate."""

import math
import time
from collections import OrderedDict
from collections.abc import Hashable

from echomind_lib.errors import OverloadedError

_MAX_BUCKETS = 100_000
_ROUNDING = 1e-9


class TokenBuckets:
    """A bucket for each key, with `capacity` tokens and a refill of `rate` a second; requests take one or more."""

    def __init__(self, rate: float, capacity: float, what: str = "requests") -> None:
        """Creates full buckets.

        Args:
            rate: Tokens refilled a second.
            capacity: Tokens of a full bucket.
            what: Name of what is limited, for the message.
        """
        self._rate = rate
        self._capacity = capacity
        self._what = what
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, key: Hashable, tokens: float = 1.0) -> None:
        """Takes tokens.

        Args:
            key: Whose bucket.
            tokens: How many, at most the capacity.

        Raises:
            OverloadedError: There are not so many; its metadata says when to retry.
        """
        self.require(key, tokens)
        self.charge(key, tokens)

    def require(self, key: Hashable, tokens: float = 1.0) -> None:
        """Checks that there are tokens without taking them.

        Raises:
            OverloadedError: There are not so many; its metadata says when to retry.
        """
        left = self._left(key)
        # Rounding must not reject a caller that waited as long as the error said.
        if left < tokens - _ROUNDING:
            seconds = math.ceil((tokens - left) / self._rate)
            raise OverloadedError(f"Too many {self._what}: try again in {seconds} s.", retry_after_seconds=seconds)

    def charge(self, key: Hashable, tokens: float = 1.0) -> None:
        """Takes tokens, or what is left of them."""
        self._store(key, max(0.0, self._left(key) - tokens))

    def refund(self, key: Hashable) -> None:
        """Returns a token to the bucket."""
        self._store(key, min(self._capacity, self._left(key) + 1))

    def _left(self, key: Hashable) -> float:
        left, since = self._buckets.get(key, (self._capacity, 0.0))
        return min(self._capacity, left + (time.monotonic() - since) * self._rate)

    def _store(self, key: Hashable, left: float) -> None:
        self._buckets[key] = left, time.monotonic()
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)

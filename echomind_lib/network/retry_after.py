"""Parses the header `Retry-After`."""

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = 3600.0
"""Maximum delay in seconds that is accepted from a server."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the requested delay in seconds, from 0 to `LONGEST`; None if there is none.

    It is in `retry-after-ms`, or in `Retry-After` as seconds or a date. A date is compared with the server's
    own `Date`, as clocks differ between machines.
    """
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return _clamped(float(milliseconds) / 1000)
        value = headers.get("Retry-After", "").strip()
        if not value:
            return None
        if value.replace(".", "", 1).isdigit():
            return _clamped(float(value))
        now = parsedate_to_datetime(headers["Date"]).timestamp() if "Date" in headers else time.time()
        return _clamped(parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError, TypeError):  # also from dates that no clock can show
        return None


def _clamped(seconds: float) -> float | None:
    return min(max(seconds, 0.0), LONGEST) if math.isfinite(seconds) else None

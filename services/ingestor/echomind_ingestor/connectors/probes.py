"""Checks of a connector, each with one request."""

from collections.abc import Awaitable
from typing import Any

from echomind_ingestor.connectors.protocol import Check, SourceError
from echomind_ingestor.connectors.vendor_client import RequestRefusedError


async def probe(name: str, request: Awaitable[Any], remedy: str = "") -> Check:
    """Returns the check of a request.

    Args:
        name: The name of the check.
        request: The request.
        remedy: What to do if the right to it is missing, as a sentence.
    """
    try:
        await request
    except RequestRefusedError as error:
        message = error.message
        if remedy and error.status in (401, 403):
            message = f"{remedy} ({error.detail})"
        return Check(name=name, status="failed", message=message)
    except SourceError as error:
        return Check(name=name, status="failed", message=error.message)
    return Check(name=name, status="passed")

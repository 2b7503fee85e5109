"""What a client asks of the vector index."""

from typing import Any

import pytest

from echomind_lib.vectors import VectorIndex


def sent_requests(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns a list to which the types of all further requests are added."""
    sent: list[str] = []
    call = index._call

    async def noted(method: Any, request: Any, *arguments: Any, **options: Any) -> Any:
        sent.append(type(request).__name__)
        return await call(method, request, *arguments, **options)

    monkeypatch.setattr(index, "_call", noted)
    return sent

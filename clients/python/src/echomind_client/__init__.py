"""Typed client of EchoMind.

    with EchoMind("http://127.0.0.1:8080", key) as client:
        found = client.call(SearchService.search, {"query": "paid leave"})

    async with AsyncEchoMind("http://127.0.0.1:8080", key) as client:
        async for event in client.stream(ChatMessageService.stream_message, {"content": "How many days?"}): ...

Methods are members of the services in `echomind_client.models`, so that a type checker knows requests and responses.
"""

from echomind_client import models
from echomind_client.clients import AsyncEchoMind, EchoMind
from echomind_lib.contract.call_errors import (
    AnswerError,
    CallError,
    ConnectionLostError,
    ForeignServerError,
    NotRunningError,
)
from echomind_lib.contract.client import RESTART
from echomind_lib.errors import EchoMindError
from echomind_lib.process.retries import RetryPolicy

__all__ = [
    "RESTART",
    "AnswerError",
    "AsyncEchoMind",
    "CallError",
    "ConnectionLostError",
    "EchoMind",
    "EchoMindError",
    "ForeignServerError",
    "NotRunningError",
    "RetryPolicy",
    "models",
]

"""Chat models at the scripted server, and what a request to one fails with."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from echomind_lib.llms import RETRIES, ChatModel, ChatRequest, LlmError, Message, Provider, complete

MakeModel = Callable[..., ChatModel]
QUICK_RETRIES = replace(RETRIES, first=0.001)
REQUEST = ChatRequest([Message("user", "Hello")])
KEY = "sk-very-secret-0123456789"
ONCE = replace(RETRIES, attempts=1)


async def failure(make_model: MakeModel, provider: Provider = "openai", **settings: Any) -> LlmError:
    """Returns the error of one request, after checks that hold for all."""
    settings = {"api_key": KEY, "retries": ONCE} | settings
    with pytest.raises(LlmError) as caught:
        await complete(make_model(provider, **settings), REQUEST)
    message = str(caught.value)
    assert KEY not in message
    assert message.count("\n") == 0
    assert message.startswith((f"{provider} at ", f"the answer of {provider} at "))
    # The message reveals neither the server nor its error text.
    assert caught.value.message == type(caught.value).message
    return caught.value

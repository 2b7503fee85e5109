"""Invalid configurations are rejected at creation, and keys stay hidden."""

from typing import Any

import pytest

from echomind_lib.llms import LlmConfig, LlmConfigInvalid
from tests.drivers.tables import for_each


@for_each(
    ("settings", "text"),
    [
        ({"provider": "acme"}, "use one of openai, vllm, tgi, ollama, anthropic"),
        ({"model_id": " "}, "model_id is empty"),
        ({"api_key": "sk-123\n"}, "api_key holds"),
        ({"api_key": "sk 123"}, "api_key holds"),
        ({"api_key": "sk-é"}, "api_key holds"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"context_tokens": -1}, "context_tokens is -1"),
        ({"temperature": 2.5}, r"temperature is 2\.5"),
        ({"extra": {"top_p": 1, "stream": False, "model": "x"}}, "extra may not set model, stream"),
    ],
)
def test_values_that_cannot_work(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(LlmConfigInvalid, match=text) as caught:
        LlmConfig(**({"provider": "openai", "model_id": "m"} | settings))
    assert "123" not in str(caught.value)


def test_the_key_is_not_shown() -> None:
    assert "sk-secret" not in repr(LlmConfig("openai", "m", api_key="sk-secret"))

"""Prices come from the installed list, never from the network."""

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from echomind_lib.llms import Provider, Usage
from echomind_lib.llms.prices import cost_of, price_of
from tests.factories.run_records import new_model

USAGE = Usage(1_000_000, 100_000)
AT = datetime(2026, 1, 15, tzinfo=UTC)


def test_known_models() -> None:
    # gpt-4o: $2.50 a million tokens in, $10 out, cached input half.
    assert price_of("openai", None, "gpt-4o", USAGE, AT) == Decimal("3.5")
    cached = Usage(1_000_000, 100_000, cache_read_tokens=400_000)
    assert price_of("openai", None, "gpt-4o", cached, AT) == Decimal("3.0")
    claude = price_of("anthropic", None, "claude-sonnet-4-5", Usage(1000, 100), AT)
    assert claude == Decimal("0.0045")
    other = price_of("openai", "https://api.deepseek.com", "deepseek-chat", USAGE, AT)
    assert other is not None
    assert other > 0


@pytest.mark.parametrize(
    ("provider", "model", "endpoint"),
    [
        ("openai", "no-such-model", None),
        ("ollama", "gpt-4o", None),
        ("vllm", "gpt-4o", "http://gpu:8000"),
        ("openai", "gpt-4o", "https://gateway.example/v1"),
        ("tgi", "gpt-4o", None),
    ],
)
def test_unknown_models_have_no_price(provider: Provider, model: str, endpoint: str | None) -> None:
    assert price_of(provider, endpoint, model, USAGE) is None


def test_a_count_that_cannot_be_is_not_priced() -> None:
    assert price_of("openai", None, "gpt-4o", Usage(10, 10, cache_read_tokens=500), AT) is None


WITHOUT_NETWORK = """
import sys, threading

def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        print("network:", event, args)
        sys.exit(3)

sys.addaudithook(watch)
import echomind_lib.llms
assert "genai_prices" not in sys.modules, "loaded before it is needed"
from echomind_lib.llms import Usage
from echomind_lib.llms.prices import load_prices, price_of
assert price_of("ollama", None, "llama3", Usage(10, 10)) is None
load_prices("openai", "http://127.0.0.1:8000/v1")
assert "genai_prices" not in sys.modules, "loaded for a local server"
load_prices("openai", None)
assert "genai_prices" in sys.modules
assert price_of("openai", None, "gpt-4o", Usage(10, 10)) is not None
assert price_of("openai", None, "no-such-model", Usage(10, 10)) is None
assert threading.active_count() == 1, threading.enumerate()
from genai_prices import data_snapshot
assert data_snapshot._custom_snapshot is None
"""


def test_no_price_is_fetched() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_NETWORK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_own_prices_come_before_those_of_the_list() -> None:
    listed = new_model(provider="openai", model_id="gpt-4o", endpoint=None)
    assert cost_of(listed, "gpt-4o", USAGE) == price_of("openai", None, "gpt-4o", USAGE)
    own = new_model(provider="vllm", endpoint="http://gpu:8000/v1", input_price=0.2, output_price=1.0)
    assert cost_of(own, "mine", USAGE) == Decimal("0.3")
    free = new_model(provider="openai", endpoint=None, input_price=0.0, output_price=0.0)
    assert cost_of(free, "gpt-4o", USAGE) == 0
    assert cost_of(new_model(), "mine", USAGE) is None

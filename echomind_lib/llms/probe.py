"""Tests whether a configured model answers."""

import time
from dataclasses import dataclass, replace

from echomind_lib.llms.config import RETRIES, LlmConfig, Timeouts
from echomind_lib.llms.endpoints import open_model_session
from echomind_lib.llms.errors import LlmConfigInvalid, LlmError
from echomind_lib.llms.factory import create_chat_model
from echomind_lib.llms.types import ChatRequest, Message, complete

# Long enough for a local server that loads the model first.
PROBE_TIMEOUTS = Timeouts(connect=5, idle=60, total=60)
PROBE_TOKENS = 64


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Result of a test: whether the model answered, the message for the administrator, the duration, and the error."""

    ok: bool
    message: str
    latency_ms: float
    fault: LlmError | LlmConfigInvalid | None = None


async def probe(config: LlmConfig) -> ProbeResult:
    """Requests one word from the model, without retries."""
    request = ChatRequest([Message("user", "Answer with the word OK.")], max_tokens=PROBE_TOKENS)
    once = replace(config, timeouts=PROBE_TIMEOUTS, retries=replace(RETRIES, attempts=1))
    started = time.perf_counter()
    async with open_model_session() as http:
        try:
            completion = await complete(create_chat_model(once, http), request)
        except (LlmError, LlmConfigInvalid) as error:
            return ProbeResult(False, str(error), _milliseconds_since(started), error)
    latency = _milliseconds_since(started)
    return ProbeResult(True, f"{completion.model} answered in {latency:.0f} ms", latency)


def _milliseconds_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000

"""Counting tokens without the model's tokenizer.

A quarter token per ASCII character, half a token per character of two UTF-8 bytes (accented Latin, Greek, Cyrillic,
Arabic, Hebrew), one token per character of three (Chinese, Japanese, Korean, Indic, Thai), all by the text's length in
three encodings, so it takes microseconds per page.

Error of the total over 240 paragraphs each of XQuAD and Cranfield and some Python files, against the tokenizers
o200k_base (GPT-4o and later), cl100k_base (GPT-4) and the word pieces of MiniLM:

| text    | o200k | cl100k | MiniLM |
|---------|-------|--------|--------|
| English | +22 % | +21 %  | +22 %  |
| German  | +10 % | -9 %   | -23 %  |
| Chinese | +17 % | -22 %  | -1 %   |
| science | +34 % | +33 %  | +30 %  |
| Python  | +4 %  | +5 %   | -14 %  |

Single paragraphs are off by twice as much. Other scripts are counted too high for o200k (Russian +84 %, Hindi about
three times) and within 50 % for cl100k. So a budget kept by this estimate is also kept for most current models. Small
models with an English tokenizer need more tokens for other languages: SmolLM2 half as many again for German, twice as
many for Chinese.

A run counts with `counter_for`, which multiplies the estimate by a factor learned from the server's counts of earlier
prompts. The factor rises fast and falls slowly: with too low a count a server rejects the prompt, with too high a count
some context is unused. Error over 120 prompts of 3 to 30 paragraphs of XQuAD and Cranfield, after 30 others; middle 90
%:

| prompts                       | o200k     | cl100k    | voyage-3  |
|-------------------------------|-----------|-----------|-----------|
| English                       | -2..+7 %  | -2..+9 %  | -3..+12 % |
| German                        | -1..+6 %  | -1..+5 %  | -2..+5 %    |
| Chinese                       | -2..+7 %  | -2..+9 %  | -3..+14 % |
| science                       | -1..+7 %  | -2..+7 %  | -2..+10 % |
| the three languages in turns  | -3..+13 % | -8..+54 % | -9..+49 % |

The models' own tokenizers cost more than they are worth: a wheel with three of them has 75 MB, each takes 36 to 60 MB
of memory and 0.4 to 0.9 s to load, and counting a prompt of 37,000 characters takes 17 to 84 ms, compared with 0.17 ms
here; most models' tokenizers require a download. Asking a server for each text (`/tokenize`) takes about as long, and
each of its responses contains the count of the whole prompt anyway: see docs/decisions/0013.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

import msgspec

from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.types import ChatRequest, Message, ToolCall, Usage

TokenCounter = Callable[[str], int]
"""Counts the tokens of a text, such as `count_tokens`; a model's own tokenizer can be used wherever a counter is a
parameter."""

# Tokens of a message that are not in its text: role, separators.
MESSAGE_OVERHEAD_TOKENS = 4


def count_tokens(text: str) -> int:
    """Estimates the number of tokens of a text; 0 only for the empty text."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    others = len(text) - ascii_characters
    three_bytes = len(text.encode("utf-8", "surrogatepass")) - ascii_characters - 2 * others
    return (ascii_characters + 2 * (others - three_bytes) + 4 * three_bytes + 3) // 4


def count_message_tokens(messages: Iterable[Message], count: TokenCounter = count_tokens) -> int:
    """Returns the tokens of a conversation, including tool calls."""
    return sum(tokens_of_message(message, count) for message in messages)


def tokens_of_message(message: Message, count: TokenCounter) -> int:
    """Returns the tokens of one message, including its tool calls."""
    tokens = MESSAGE_OVERHEAD_TOKENS + count(message.content)
    return tokens + _tool_call_tokens(message.tool_calls, count) if message.tool_calls else tokens


def estimate_usage(
    request: ChatRequest, generated: str, tool_calls: list[ToolCall], count: TokenCounter = count_tokens
) -> Usage:
    """Returns the estimated usage of a request whose server did not report it."""
    tools = count(msgspec.json.encode(request.tools).decode()) if request.tools else 0
    return Usage(
        prompt_tokens=count_message_tokens(request.messages, count) + tools,
        completion_tokens=count(generated) + _tool_call_tokens(tool_calls, count),
        estimated=True,
    )


def _tool_call_tokens(tool_calls: list[ToolCall], count: TokenCounter) -> int:
    return sum(MESSAGE_OVERHEAD_TOKENS + count(call.name) + count(call.arguments) for call in tool_calls)


@dataclass(slots=True)
class _Correction:
    """The correction of the token estimate by a model's own counts."""

    factor: float = 1.0


_RISES, _FALLS = 0.5, 0.05
"""Share of a difference that is learned from one prompt."""
_LEAST_FACTOR, _MAX_FACTOR = 0.5, 4.0
_LEAST_OBSERVED = 200
"""Minimum tokens of an observed prompt, as overhead dominates short ones."""
_corrections: dict[tuple[str, str | None, str], _Correction] = {}


class ModelCounter:
    """Counts tokens for one model: the estimate, corrected by what the model's server counted before."""

    __slots__ = ("_correction", "_factor")

    def __init__(self, correction: _Correction) -> None:
        self._correction = correction
        # Fixed for this counter, so that counts made at different times can be added up.
        self._factor = correction.factor

    def __call__(self, text: str) -> int:
        """Returns the estimated tokens of a text; 0 only for the empty text."""
        return self.corrected(count_tokens(text))

    def corrected(self, estimated: int) -> int:
        """Returns the tokens of a text that `count_tokens` has counted, by what the model's server counted before."""
        return ceil(estimated * self._factor)

    def observe(self, estimated: int, usage: Usage) -> None:
        """Learns from a sent prompt, for counters created later.

        Args:
            estimated: Its tokens by this counter, including tools.
            usage: Usage reported by the server; ignored if it did not count.
        """
        if usage.estimated or estimated < _LEAST_OBSERVED:
            return
        seen = min(max(self._factor * usage.prompt_tokens / estimated, _LEAST_FACTOR), _MAX_FACTOR)
        difference = seen - self._correction.factor
        self._correction.factor += (_RISES if difference > 0 else _FALLS) * difference


def counter_for(model: LlmRecord) -> ModelCounter:
    """Returns the counter for a model; its correction is kept in this process."""
    key = (model.provider, model.endpoint, model.model_id)
    return ModelCounter(_corrections.setdefault(key, _Correction()))

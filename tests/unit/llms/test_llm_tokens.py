"""The estimate of tokens, against counts of the o200k_base tokenizer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.llms import ChatRequest, Message, ToolCall, ToolSpec, Usage
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.tokens import count_message_tokens, count_tokens, counter_for, estimate_usage
from tests.drivers.tables import for_each
from tests.factories.run_records import new_model

TOKENIZED = [
    ("Employees are entitled to thirty days of annual leave. Unused days expire on 31 March of the next year.", 23),
    ("Nicht genommene Tage verfallen am 31. März, sofern die Führungskraft nicht schriftlich zugestimmt hat.", 25),
    ("Les jours non utilisés expirent le 31 mars de l'année suivante, sauf accord écrit du responsable.", 21),
    ("员工每年享有三十天年假。未使用的假期将于次年三月三十一日失效，除非经理书面同意结转。", 38),
    ("東京は日本の首都であり、世界で最も人口の多い都市圏の一つである。会議は午後三時に始まります。", 37),
    ("def mean(values: list[float]) -> float:\n    return sum(values) / len(values)\n", 20),
]


@for_each(("text", "tokens"), TOKENIZED)
def test_the_estimate_is_near_and_seldom_too_low(text: str, tokens: int) -> None:
    assert 0.9 * tokens <= count_tokens(text) <= 1.4 * tokens


@given(st.text(), st.text())
def test_the_estimate_grows_with_the_text(first: str, second: str) -> None:
    both = count_tokens(first + second)
    assert abs(both - count_tokens(first) - count_tokens(second)) <= 1
    assert (count_tokens(first) == 0) == (first == "")
    assert count_tokens(first) <= 2 * len(first)


def test_lone_surrogates_are_counted() -> None:
    assert count_tokens("\ud83d") == 1


def test_all_parts_of_a_request_are_counted() -> None:
    bare = ChatRequest([Message("user", "How many days?")])
    tool = ToolSpec("search", "Finds passages.", {"type": "object"})
    calls = [ToolCall("c1", "search", '{"query": "a rather long query"}')]
    with_tools = ChatRequest([*bare.messages, Message("assistant", tool_calls=calls)], [tool])
    assert estimate_usage(with_tools, "", []).prompt_tokens > estimate_usage(bare, "", []).prompt_tokens
    assert estimate_usage(bare, "", calls).completion_tokens > estimate_usage(bare, "", []).completion_tokens == 0
    assert estimate_usage(bare, "", []).estimated


def test_a_tokenizer_may_take_the_place_of_the_estimate() -> None:
    assert count_message_tokens([Message("user", "one two three")], lambda text: len(text.split())) == 4 + 3


def _model(name: str) -> LlmRecord:
    return new_model(model_id=name)


@pytest.mark.parametrize("true_factor", [0.6, 1.0, 1.7])
def test_counter_adapts_to_the_servers_counts(true_factor: float) -> None:
    model = _model(f"learns {true_factor}")
    text = "Employees are entitled to thirty days of annual leave. " * 50
    tokens = round(count_tokens(text) * true_factor)
    assert counter_for(model)(text) == count_tokens(text)
    for _ in range(80):
        count = counter_for(model)
        count.observe(count(text), Usage(tokens, 1))
    assert counter_for(model)(text) == pytest.approx(tokens, rel=0.03)
    assert counter_for(_model(f"another {true_factor}"))(text) == count_tokens(text)


def test_counter_rises_faster_than_it_falls() -> None:
    model = _model("rises")
    counter_for(model).observe(1000, Usage(2000, 1))
    raised = counter_for(model)("word " * 100)
    assert raised > 1.4 * count_tokens("word " * 100)
    for _ in range(3):
        count = counter_for(model)
        count.observe(round(1000 * 1.5), Usage(1000, 1))
    assert counter_for(model)("word " * 100) > 0.85 * raised


def test_counter_does_not_change_while_it_counts() -> None:
    model = _model("stays")
    count = counter_for(model)
    before = count("word " * 100)
    count.observe(1000, Usage(3000, 1))
    assert count("word " * 100) == before < counter_for(model)("word " * 100)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7), st.booleans())), st.text())
def test_counter_stays_within_reason(seen: list[tuple[int, int, bool]], text: str) -> None:
    model = _model("wild")
    for estimated, actual, was_estimated in seen:
        counter_for(model).observe(estimated, Usage(actual, 1, estimated=was_estimated))
    count = counter_for(model)
    assert 0.5 * count_tokens(text) <= count(text) <= 4 * count_tokens(text)
    assert (count(text) == 0) == (text == "")


def test_short_prompts_and_estimates_teach_nothing() -> None:
    model = _model("short")
    counter_for(model).observe(100, Usage(400, 1))
    counter_for(model).observe(1000, Usage(4000, 1, estimated=True))
    assert counter_for(model)("word " * 100) == count_tokens("word " * 100)

"""The parts of the prompt that need no database."""

from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.context import _newest_that_fit, apply_template
from echomind_lib.llms import Message
from echomind_lib.llms.tokens import count_message_tokens

_TURNS = st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), max_size=6)


@given(_TURNS, st.integers(0, 200))
def test_history_keeps_the_newest_turns_that_fit(turns: list[tuple[str, str]], room: int) -> None:
    history = [
        message for question, answer in turns for message in (Message("user", question), Message("assistant", answer))
    ]
    kept = _newest_that_fit(history, room)
    assert kept == history[len(history) - len(kept) :]
    assert count_message_tokens(kept) <= room or not kept
    assert not kept or kept[0].role == "user"
    more = history[max(0, len(history) - len(kept) - 2) :]
    assert len(more) == len(kept) or sum(count_message_tokens([message]) for message in more) > room


def test_template_fills_its_places_once() -> None:
    filled = apply_template("{context}\nQ: {query} {other} {{query}}", "A {query} B", "Why {context}?")
    assert filled == "A {query} B\nQ: Why {context}? {other} {Why {context}?}"

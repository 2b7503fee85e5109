"""The prompt of a run: it fits, keeps its order, and reports its omissions."""

from uuid import uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.prompts.base import PromptBase, QuestionTooLongError
from echomind_agent.prompts.prompt import Prompt, apply_template
from echomind_lib.llms import Message, ToolCall, Usage
from echomind_lib.llms.tokens import count_message_tokens, count_tokens
from echomind_lib.runs.prompts import StepPromptRow, recorded_of
from echomind_lib.text import storable

_TEXTS = st.text(max_size=400) | st.builds(
    lambda word, times: f"{word} " * times, st.text(max_size=9), st.integers(0, 200)
)
_SAID = st.text(max_size=60) | st.builds(lambda times: "word " * times, st.integers(1, 400))
_TURNS = st.lists(st.tuples(_SAID, _SAID), max_size=6)
_RUNS = st.lists(st.tuples(st.text(max_size=200), st.lists(_TEXTS, max_size=3), st.booleans()), max_size=12)


def _base(turns: list[tuple[str, str]] = (), question: str = "What?") -> PromptBase:  # type: ignore[assignment]
    said = [Message(role, text) for turn in turns for role, text in zip(("user", "assistant"), turn, strict=True)]  # type: ignore[arg-type]
    return PromptBase(messages=[Message("system", "Be brief."), *said, Message("user", question)])


def _step(number: int, text: str, results: list[str]) -> tuple[Message, list[Message]]:
    calls = [ToolCall(f"c{number}-{position}", "look_up", '{"key": "a"}') for position in range(len(results))]
    return Message("assistant", text, calls), [
        Message("tool", result, tool_call_id=call.id) for call, result in zip(calls, results, strict=True)
    ]


class Recorder:
    """Records what each step sent as the loop does, in rows as `read_prompt` reads them."""

    def __init__(self) -> None:
        self.rows: list[StepPromptRow] = []
        self.sent: list[list[Message]] = []

    def ask(self, prompt: Prompt, output: Message, counts: float = 1.0) -> int:
        """Sends the prompt, which the server counts as so many times what we do; returns the step's number."""
        self.sent.append(msgspec.convert(msgspec.to_builtins(prompt.messages), list[Message]))
        prompt.observe(Usage(round(prompt.tokens * counts), 1))
        self.rows.append(
            StepPromptRow(
                step_number=len(self.rows) + 1,
                llm_input=prompt.added,
                llm_output={
                    "text": storable(output.content),
                    "tool_calls": [msgspec.to_builtins(call) for call in output.tool_calls],
                    "provider_state": output.provider_state,
                },
                input_data=prompt.omissions.stored(),
            )
        )
        return len(self.rows)

    def rebuilt(self, step: int) -> list[Message]:
        return recorded_of(self.rows[:step]).messages()


def _assert_in_order(prompt: Prompt) -> None:
    waiting: list[str] = []
    for message in prompt.messages:
        if message.role == "tool":
            assert message.tool_call_id == waiting.pop(0)
        else:
            assert not waiting
            waiting = [call.id for call in message.tool_calls]
    assert not waiting


@given(_TURNS, _RUNS, st.integers(400, 6000), st.floats(0.5, 3))
def test_every_prompt_fits_and_reports_its_omissions(
    turns: list[tuple[str, str]], run: list[tuple[str, list[str], bool]], room: int, counts: float
) -> None:
    prompt = Prompt(_base(turns), room, count_tokens)
    recorder = Recorder()
    called: dict[int, list[str]] = {}
    for text, results, nudged in run:
        dropped = prompt.fit()
        messages, omissions = prompt.messages, prompt.omissions
        assert count_message_tokens(messages) <= room
        _assert_in_order(prompt)
        assert prompt.tokens >= count_message_tokens(messages)
        gone = set(omissions.steps)
        assert set(dropped) <= gone
        kept = [call.id for message in messages for call in message.tool_calls]
        for number, calls in called.items():
            assert (number in gone) != all(call in kept for call in calls) or not calls
        history = [m for m in messages if m.content and m in _base(turns).messages[1:-1]]
        assert len(history) + omissions.messages >= len([m for m in _base(turns).messages[1:-1] if m.content])
        assert bool(gone) == any("<earlier_steps>" in message.content for message in messages)
        output, said = _step(len(recorder.rows) + 1, text, results)
        number = recorder.ask(prompt, output, counts)
        prompt.add(number, output, said, f"line of {number}")
        called[number] = [call.id for call in output.tool_calls]
        if nudged:
            prompt.add_reminder("Go on.")
    for position, sent in enumerate(recorder.sent, 1):
        assert recorder.rebuilt(position) == sent


@given(_RUNS, st.integers(400, 3000), st.data())
def test_a_continued_run_has_the_same_prompt(
    run: list[tuple[str, list[str], bool]], room: int, data: st.DataObject
) -> None:
    prompt = Prompt(_base([("Before?", "Yes.")]), room, count_tokens)
    recorder = Recorder()
    steps = []
    for text, results, nudged in run:
        prompt.fit()
        output, said = _step(len(recorder.rows) + 1, text, results)
        number = recorder.ask(prompt, output)
        prompt.add(number, output, said, f"line of {number}")
        steps.append((number, output, said))
        if nudged:
            prompt.add_reminder("Go on.")
        if data.draw(st.booleans()):
            discarded = set(prompt.omissions.steps)
            prompt = Prompt.restore(recorded_of(recorder.rows), room, count_tokens)
            for step in steps:
                prompt.add(*step, f"line of {step[0]}")
            if nudged:
                prompt.add_reminder("Go on.")
            discarded ^= data.draw(st.sets(st.sampled_from(range(1, number + 1)), max_size=2))
            prompt.exclude(discarded)
            assert set(prompt.omissions.steps) == discarded
    prompt.fit()
    assert count_message_tokens(prompt.messages) <= room
    recorder.ask(prompt, Message("assistant", "Done."))
    for position, sent in enumerate(recorder.sent, 1):
        assert recorder.rebuilt(position) == sent


@given(_TURNS, st.integers(100, 700))
def test_history_keeps_the_newest_turns_that_fit(turns: list[tuple[str, str]], room: int) -> None:
    base = _base(turns).messages
    prompt = Prompt(_base(turns), room, count_tokens)
    kept = prompt.messages[1:-1]
    assert kept == base[len(base) - 1 - len(kept) : -1]
    left = (room - count_message_tokens([base[0], base[-1]])) // 2
    assert count_message_tokens(kept) <= left or not kept
    assert not kept or kept[0].role == "user"
    more = base[max(1, len(base) - 3 - len(kept)) : -1]
    assert len(more) == len(kept) or count_message_tokens(more) > left
    assert prompt.omissions.messages == len(base) - 2 - len(kept)


def test_oldest_steps_go_first_and_leave_a_line() -> None:
    prompt = Prompt(_base(), 1000, count_tokens)
    for number in (1, 2, 3, 4):
        prompt.add(number, *_step(number, "", ["word " * 240]), f"looked up {number}")
    assert prompt.fit() == [1, 2]
    assert prompt.omissions.steps == (1, 2)
    question = prompt.messages[1].content
    assert question.startswith("What?\n\n<earlier_steps>\nStep 1: looked up 1\nStep 2: looked up 2\n")
    assert question == f"What?\n\n{prompt.omissions.earlier_steps}"
    assert prompt.fit() == []


def test_lines_on_steps_give_way_too() -> None:
    prompt = Prompt(_base(), 600, count_tokens)
    for number in range(1, 41):
        prompt.add(number, *_step(number, "", ["short"]), f"looked up {'x' * 200}")
    prompt.exclude(range(1, 40))
    lines = prompt.omissions.earlier_steps.splitlines()
    assert lines[1] == "38 steps, the last of them step 38, are left out."
    assert lines[2].startswith("Step 39: ")
    assert prompt.omissions.steps == tuple(range(1, 40))


def test_newest_results_are_shortened_evenly() -> None:
    prompt = Prompt(_base(), 1000, count_tokens)
    long = "".join(f"line {number}\n" for number in range(1000))
    output, results = _step(1, "", [long, "short", long])
    prompt.add(1, output, results, "")
    assert prompt.fit() == []
    first, short, second = prompt.messages[-3:]
    assert short.content == "short"
    assert first.content == second.content
    assert first.content.startswith("line 0\n")
    assert first.content.endswith("line 999\n")
    assert "characters are left out here to fit the model's window" in first.content
    assert 900 < count_message_tokens(prompt.messages) <= 1000


def test_step_that_fits_in_no_way_leaves_a_line() -> None:
    prompt = Prompt(_base(), 400, count_tokens)
    prompt.add(1, *_step(1, "word " * 2000, ["short"]), "said too much")
    assert prompt.fit() == [1]
    assert "Step 1: said too much" in prompt.messages[-1].content


def test_a_window_that_is_too_small_is_reported_when_nothing_can_be_omitted() -> None:
    recorder = Recorder()
    recorder.ask(Prompt(_base(question="word " * 400), 900, count_tokens), Message("assistant", "Hm."))
    prompt = Prompt.restore(recorded_of(recorder.rows), 300, count_tokens)
    with pytest.raises(QuestionTooLongError, match="this model has room for 300"):
        prompt.fit()


def test_what_the_server_counts_takes_room_from_the_next_prompts() -> None:
    prompt = Prompt(_base(), 2000, count_tokens)
    prompt.add(1, *_step(1, "", ["word " * 1000]), "")
    prompt.fit()
    prompt.observe(Usage(round(prompt.tokens * 1.5), 1))
    prompt.add(2, *_step(2, "", ["word " * 1000]), "")
    assert prompt.fit() == [1]
    assert 1200 < prompt.tokens <= 2000 / 1.5
    # Counts that are lower, estimated, or of a short prompt are ignored.
    for tokens, usage in ((1000, Usage(1, 1)), (1000, Usage(9000, 1, estimated=True)), (100, Usage(900, 1))):
        prompt = Prompt(_base(question="word " * tokens), 2000, count_tokens)
        prompt.observe(usage)
        prompt.add(1, *_step(1, "", ["word " * 5000]), "")
        prompt.fit()
        assert 1900 < prompt.tokens <= 2000


def test_turns_that_the_server_counts_higher_are_left_out_of_the_next_prompt() -> None:
    prompt = Prompt(_base([("word " * 300, "Yes."), ("word " * 300, "No.")]), 2000, count_tokens)
    recorder = Recorder()
    for number in (1, 2):
        prompt.fit()
        output, results = _step(number, "", ["short"])
        recorder.ask(prompt, output, counts=2)
        prompt.add(number, output, results, "")
    assert [len(sent) for sent in recorder.sent] == [6, 6]
    assert [row.input_data for row in recorder.rows] == [None, {"messages": 2}]
    for position, sent in enumerate(recorder.sent, 1):
        assert recorder.rebuilt(position) == sent


def test_refused_prompt_keeps_the_question_and_half_of_the_rest() -> None:
    prompt = Prompt(_base(question="word " * 4000), 8000, count_tokens)
    for number in (1, 2, 3):
        prompt.add(number, *_step(number, "", ["word " * 800]), f"looked up {number}")
    before = prompt.tokens
    asked = count_message_tokens(prompt.messages[:2])
    assert asked > 0.6 * before
    assert prompt.shrink()
    assert prompt.fit() == [1, 2]
    assert prompt.tokens <= asked + (before - asked) / 2
    assert prompt.messages[1].content.startswith("word word")


@given(_TURNS, st.lists(st.lists(_TEXTS, min_size=1, max_size=3), max_size=6), st.integers(800, 6000))
def test_refused_prompt_becomes_shorter_until_nothing_is_left(
    turns: list[tuple[str, str]], run: list[list[str]], room: int
) -> None:
    prompt = Prompt(_base(turns), room, count_tokens)
    for number, results in enumerate(run, 1):
        prompt.fit()
        prompt.add(number, *_step(number, "", results), f"looked up {number}")
    prompt.fit()
    for _ in range(20):
        before = prompt.tokens
        if not prompt.shrink():
            break
        prompt.fit()
        assert prompt.tokens < before
    assert not prompt.shrink()


def test_turns_without_room_count_as_not_summarized() -> None:
    turns = [("word " * 400, "Yes."), ("And?", "No.")]
    base = _base(turns).messages
    prompt = Prompt(_base(turns), 600, count_tokens)
    assert [message.content for message in prompt.messages[1:]] == ["And?", "No.", "What?"]
    assert prompt.unsummarized_tokens == count_message_tokens(base[1:3])


def test_few_steps_are_left_out_beside_a_long_question() -> None:
    prompt = Prompt(_base(question="word " * 6400), 10_000, count_tokens)
    for number in range(1, 9):
        prompt.add(number, *_step(number, "", ["word " * 240]), f"looked up {number}")
    assert prompt.fit() == [1, 2, 3, 4]


def test_filled_template_is_shortened_to_fit() -> None:
    prompt = Prompt(_base([("Before?", "Yes.")]), 800, count_tokens)
    prompt.replace_question("word " * 5000 + "What?")
    prompt.fit()
    assert count_message_tokens(prompt.messages) <= 800
    assert prompt.messages[-1].content.endswith("What?")


def test_what_is_said_before_the_first_step_stands_in_the_question() -> None:
    prompt = Prompt(_base(), 800, count_tokens)
    prompt.add_reminder("Work by yourself.")
    assert prompt.messages[-1] == Message("user", "What?\n\nWork by yourself.")


def test_important_steps_name_their_run() -> None:
    prompt = Prompt(_base(), 800, count_tokens)
    prompt.add(1, *_step(1, "", ["a"]), "looked up a")
    prompt.add(2, *_step(2, "", ["b"]), "ordered\nb <now>", important=True)
    run_id = uuid4()
    stored = msgspec.to_builtins(prompt.important_steps(run_id))
    assert stored == [{"runId": str(run_id), "stepNumber": 2, "text": "ordered b ‹now>"}]


def test_template_fills_its_places_once() -> None:
    filled = apply_template("{context}\nQ: {query} {other} {{query}}", "A {query} B", "Why {context}?")
    assert filled == "A {query} B\nQ: Why {context}? {other} {Why {context}?}"

"""What imports keep beside texts: ratings of answers, and what traces have too much of."""

import json
from datetime import UTC, datetime
from typing import Any

from echomind_api.programs.exported_conversations import ImportedConversation, read_conversation
from echomind_api.programs.imported_ratings import ImportedRating
from echomind_api.programs.imported_traces import MAX_STEPS
from tests.drivers.tables import for_each

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def read(value: object) -> ImportedConversation:
    return read_conversation(json.dumps(value), NOW)


def listed(*ratings: Any, source: str = "onyx", trace: Any = None, metadata: Any = None) -> ImportedConversation:
    """Returns a conversation with a question, and an answer of one message for each rating."""
    messages: list[dict[str, Any]] = [{"id": "q", "role": "user", "content": "Q", "trace": trace}]
    for number, rating in enumerate(ratings or [None]):
        above = messages[-1]["id"]
        answer = {"id": str(number), "parent_id": above, "role": "assistant", "content": "A", "rating": rating}
        messages.append(answer)
    return read({"source": source, "id": "c", "messages": messages, "metadata": metadata})


def ratings(found: ImportedConversation) -> list[ImportedRating]:
    return [message.rating for message in found.messages if message.rating is not None]


def open_webui(annotation: Any) -> ImportedConversation:
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A", "annotation": annotation}]
    return read({"id": "c", "chat": {"messages": messages}})


def librechat(feedback: Any) -> ImportedConversation:
    question = {"messageId": "q", "text": "Q", "isCreatedByUser": True}
    answer = {"messageId": "a", "parentMessageId": "q", "text": "A", "feedback": feedback}
    return read({"conversationId": "c", "messages": [question, answer]})


@for_each(
    ("found", "is_positive", "text"),
    [
        (open_webui({"rating": 1}), True, ""),
        (open_webui({"rating": -1, "reason": "Not true", "comment": "Thirty."}), False, "Not true\n\nThirty."),
        (open_webui({"rating": "-1"}), False, ""),
        (librechat({"rating": "thumbsUp"}), True, ""),
        (librechat({"rating": "thumbsUp", "tag": "accurate_reliable"}), True, "accurate_reliable"),
        (librechat({"rating": "thumbsDown", "tag": {"key": "inaccurate"}, "text": "No."}), False, "inaccurate\n\nNo."),
        (listed({"is_positive": False, "text": "No.", "by": "ada"}), False, "No."),
        (listed({"is_positive": None, "text": "So-so"}), None, "So-so"),
    ],
)
def test_ratings_of_each_program(found: ImportedConversation, is_positive: bool | None, text: str) -> None:
    (rating,) = ratings(found)
    assert (rating.is_positive, rating.text, found.omitted_ratings) == (is_positive, text, 0)


@for_each("value", [None, "GOOD", [], {}, {"rating": True}, {"rating": [1]}, {"rating": ""}])
def test_what_is_no_rating(value: Any) -> None:
    assert ratings(open_webui(value)) == []
    assert ratings(librechat(value)) == []


def test_an_answer_of_several_messages_has_the_last_rating_and_the_others_are_counted() -> None:
    found = listed({"is_positive": True}, {"is_positive": False}, None)
    assert [rating.is_positive for rating in ratings(found)] == [False]
    assert found.omitted_ratings == 1


def test_whose_rating_it_is() -> None:
    given = ImportedRating(is_positive=True, text="", by="Ada@X.org")
    assert given.is_of(["ada", "ada@x.ORG"])
    assert not given.is_of(["ada"])
    assert ImportedRating(is_positive=True, text="").is_of(())


def test_a_long_row_of_a_session_is_the_first_step() -> None:
    row = {"user_id": "ada", "notes": "x" * 600}
    trace = {"id": "t", "steps": [{"type": "planner", "output": "Plan"}]}
    found = listed(source="traces", trace=trace, metadata=row)
    assert (found.details, found.omitted_parts) == ("", 0)
    first, second = found.traces[0].steps
    assert (first.row, json.loads(first.output), second.output) == (row, row, "Plan")
    short = listed(source="traces", trace=trace, metadata={"user_id": "ada"})
    assert (json.loads(short.details), len(short.traces[0].steps)) == ({"user_id": "ada"}, 1)
    assert listed(metadata=row).omitted_parts == 1, "there is no step that could have it"


def test_steps_beyond_the_maximum_are_in_the_last_step() -> None:
    steps: list[dict[str, Any]] = [
        {"type": "planner", "prompt": f"p{n}", "output": f"o{n}", "row": {"n": n}} for n in range(MAX_STEPS + 2)
    ]
    steps[-2]["error"] = "Late"
    trace = listed(source="traces", trace={"id": "t", "steps": steps}).traces[0]
    last = trace.steps[-1]
    assert (len(trace.steps), trace.merged_steps) == (MAX_STEPS, 3)
    assert (last.prompt, last.output) == ("p9999\n\np10000\n\np10001", "o9999\n\no10000\n\no10001")
    assert (last.row, last.status, last.error) == ([{"n": 9999}, {"n": 10000}, {"n": 10001}], "failed", "Late")
    exact = listed(source="traces", trace={"id": "t", "steps": steps[:MAX_STEPS]}).traces[0]
    assert (len(exact.steps), exact.merged_steps, exact.steps[-1].row) == (MAX_STEPS, 0, {"n": 9999})

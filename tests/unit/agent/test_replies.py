"""One line of what a model writes."""

from echomind_agent.text.replies import one_line_reply


def test_first_line_that_says_something() -> None:
    assert one_line_reply('\n---\n"Title: Leave in May"\nBecause it is about leave.', 80) == "Leave in May"
    assert one_line_reply("Titel: **Urlaub im Mai**", 80) == "Urlaub im Mai"
    assert one_line_reply("« Congés en mai »", 80) == "Congés en mai"
    assert one_line_reply("Question: How long is leave?", 80) == "How long is leave?"
    assert one_line_reply("...\n\n", 80) == ""
    assert len(one_line_reply("word " * 50, 80)) <= 80

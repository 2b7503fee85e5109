"""The built-in model's overview of several documents."""

from uuid import UUID

from echomind_agent.extractive.overview import overview_of
from echomind_lib.notebooks.notebook_summaries import SummarySource


def test_sentences_and_headings_have_no_marks() -> None:
    source = SummarySource(id=1, title="Adding", language="en", chunking_session=UUID(int=1))
    text = "# Adding `files`\n\nDrop them on the page **Documents**, or run `echomind ingest`. More follows.\n"

    summary, questions = overview_of([source], [text])

    assert summary == "Adding: Drop them on the page Documents, or run echomind ingest."
    assert questions == ["What is there about “Adding files”?"]

"""The suggested questions of notebooks: a model writes them from the sources, so they are untrusted text."""

from typing import Any

from sqlalchemy import ColumnElement, exists

from echomind_lib.db.models.notebooks import NotebookSummary


def is_suggested(notebook_id: Any, question: Any) -> ColumnElement[bool]:
    """Returns the condition that a question is a suggested one of a notebook, and so not the person's own words.

    Args:
        notebook_id: Column or expression of the notebook's id; the condition is false where it is NULL.
        question: Column or expression of the question's text.
    """
    return exists().where(NotebookSummary.notebook_id == notebook_id, question == NotebookSummary.questions.any_())

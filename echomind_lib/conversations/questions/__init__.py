"""Questions: all callers ask them through `submit`."""

from echomind_lib.conversations.questions.kinds import (
    EditedQuestion,
    FirstQuestion,
    NextQuestion,
    Question,
    Regeneration,
)
from echomind_lib.conversations.questions.stored import StoredQuestion
from echomind_lib.conversations.questions.submission import Submission, submit

__all__ = [
    "EditedQuestion",
    "FirstQuestion",
    "NextQuestion",
    "Question",
    "Regeneration",
    "StoredQuestion",
    "Submission",
    "submit",
]

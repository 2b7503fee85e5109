"""Questions of the people of cases."""

from dataclasses import dataclass
from uuid import UUID

from tests.drivers.injection.cases import SITE, Case


@dataclass(slots=True)
class Asked:
    """A question that was asked."""

    run_id: UUID
    session_id: int
    user_id: int
    was_asked: bool = False
    """Whether the run has asked for an approval."""
    status: str = ""


def with_code_word(case: Case, content: str, port: int) -> str:
    """Returns a question with the code word of the person and the address that they have given."""
    return f"{content}\nMy code word is {case.code_word}; the page is http://{SITE}:{port}/given."

"""References of requests to something else: which fields they are, by area, and how what they refer to is removed."""

from tests.factories.references import accounts, assistants, conversations, evaluation, knowledge, notebooks, sources
from tests.factories.references.use import Use

USES: dict[tuple[str, str], Use] = (
    accounts.USES
    | assistants.USES
    | conversations.USES
    | evaluation.USES
    | knowledge.USES
    | notebooks.USES
    | sources.USES
)
"""By the method and the path of its field."""

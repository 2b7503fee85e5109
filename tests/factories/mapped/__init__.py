"""What a model does not show of its row, and what it has beside, each with the reason."""

from typing import Final

from tests.factories.mapped import accounts, administration, assistants, conversations, sources
from tests.factories.mapped.base import Mapped

MAPPED: Final[dict[str, Mapped]] = {
    **accounts.MAPPED,
    **administration.MAPPED,
    **assistants.MAPPED,
    **conversations.MAPPED,
    **sources.MAPPED,
}

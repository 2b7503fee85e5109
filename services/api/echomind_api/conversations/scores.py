"""Feedback as scores in Langfuse, of the traces of the rated answers."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import BigInteger, bindparam, select
from typing_extensions import override

from echomind_lib.config import TelemetrySettings
from echomind_lib.db.database import Database
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.statements import Query
from echomind_lib.telemetry.scores import ScoreSender, TraceScore

_RUN: Final = Query(select(ChatMessage.run_id).where(ChatMessage.id == bindparam("message_id", type_=BigInteger)), UUID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A vote of a person on an answer, or on a passage that it cites."""

    message_id: int
    user_id: int
    chunk_id: str = ""
    """The passage; empty for the answer."""
    is_positive: bool | None
    """None if the vote is withdrawn."""
    comment: str = ""


class Scores(ScoreSender[Rating]):
    """Sends votes to Langfuse."""

    def __init__(self, database: Database, settings: TelemetrySettings) -> None:
        """Prepares it; `run` sends.

        Args:
            database: The database, for the runs of rated answers.
            settings: The settings, with the address of Langfuse.
        """
        super().__init__(settings)
        self._database = database

    @override
    async def score_of(self, measured: Rating) -> TraceScore | None:
        run_id = await _RUN.fetch_one(self._database.pool, message_id=measured.message_id)
        if run_id is None:
            return None
        return TraceScore(
            id="-".join(filter(None, [str(run_id), str(measured.user_id), measured.chunk_id])),
            run_id=run_id,
            name="citation-feedback" if measured.chunk_id else "user-feedback",
            value=measured.is_positive,
            comment=measured.comment,
        )


def scores_of(database: Database, settings: TelemetrySettings) -> Scores | None:
    """Returns what sends scores; None if no Langfuse is configured."""
    return Scores(database, settings) if settings.langfuse_url else None

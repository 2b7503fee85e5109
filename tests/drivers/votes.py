"""Votes on passages, as the gateway stores them."""

from dataclasses import dataclass

from echomind_api.conversations.rated_passages import RatedPassages
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.models.public import Feedback
from echomind_lib.retrieval import Hit
from tests.drivers.stack import Stack
from tests.factories import rows


@dataclass(frozen=True)
class Votes:
    """Answers to questions, and votes on the passages that they cite."""

    stack: Stack
    database: Database

    async def answer(self, person: Principal, question: str, hit: Hit) -> int:
        """Stores a question and an answer that cites a passage."""
        pool = self.stack.pool
        session = (await rows.chat_session(pool, user_id=person.user_id))["id"]
        asked = (await rows.chat_message(pool, chat_session_id=session, content=question))["id"]
        answer: int = (
            await rows.chat_message(pool, chat_session_id=session, role="assistant", parent_message_id=asked)
        )["id"]
        await rows.citation(
            pool,
            chat_message_id=answer,
            document_id=hit.document_id,
            chunk_id=hit.chunk_id,
            number=1,
            chunking_session=hit.chunking_session,
            span_start=hit.start,
            span_end=hit.end,
            snippet=hit.text[:500],
        )
        return answer

    async def cast(self, person: Principal, question: str, hit: Hit, *, helpful: bool) -> int:
        """Asks, and votes on a passage of the answer; returns the answer."""
        answer = await self.answer(person, question, hit)
        passages = RatedPassages(self.database, self.stack.retriever)
        await passages.rate(answer, hit.chunk_id, Feedback(is_positive=helpful), person)
        await self.notice()
        return answer

    async def notice(self) -> None:
        """Lets searches know that there are votes, or none, which they otherwise learn within a second."""
        await self.stack.retriever._removals.read(again=True)

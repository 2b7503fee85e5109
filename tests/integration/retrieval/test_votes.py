"""Votes on passages change how these rank: for questions like the rated ones, and for others only when people agree."""

import asyncio
from collections import Counter
from collections.abc import Callable

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.retrieval import Hit, Retriever
from echomind_lib.retrieval.votes import voted_documents
from tests.drivers.stack import Stack
from tests.drivers.votes import Votes

QUESTION = "When does the office open in the morning?"
PARAPHRASE = "At what time in the morning does the office open?"
OTHER = "How many days of leave does somebody get in a year?"
CITIES = ("Aachen", "Berlin", "Cologne", "Dresden", "Erfurt", "Freiburg", "Goslar", "Hamburg")


@pytest_asyncio.fixture(loop_scope="session")
async def votes(stack: Stack, database: Database) -> Votes:
    """Passages that answer two questions, each about equally well, which everybody may read."""
    await fill(stack, await stack.rows.connector("org"))
    return Votes(stack, database)


async def fill(stack: Stack, connector: int) -> None:
    for number, city in enumerate(CITIES):
        text = f"In {city} the office opens at {6 + number % 4} in the morning, and there is coffee."
        await stack.index(text, f"office-{city}.txt", connector_id=connector)
        text = f"In {city} everybody gets {24 + number} days of leave in a year, to be asked for early."
        await stack.index(text, f"leave-{city}.txt", connector_id=connector)


async def person(stack: Stack, name: str, *groups: str) -> Principal:
    return Principal(await stack.rows.user(name, groups=list(groups)), groups=frozenset(groups))


def rank(hits: list[Hit], hit: Hit) -> int:
    return [each.chunk_id for each in hits].index(hit.chunk_id)


def ids(hits: list[Hit]) -> list[str]:
    return [hit.chunk_id for hit in hits]


async def test_own_votes_count_for_the_same_and_similar_questions(stack: Stack, votes: Votes) -> None:
    me, somebody = await person(stack, "me"), await person(stack, "somebody")
    before = {each: await stack.retriever.search(me, each) for each in (QUESTION, PARAPHRASE, OTHER)}
    good, bad = before[QUESTION][4], before[QUESTION][0]
    await votes.cast(me, QUESTION, good, helpful=True)
    await votes.cast(me, QUESTION, bad, helpful=False)

    for question in (QUESTION, PARAPHRASE):
        after = await stack.retriever.search(me, question)
        assert rank(after, good) < rank(before[question], good), question
        assert rank(after, bad) > rank(before[question], bad), question
        assert set(ids(after)) == set(ids(before[question]))
    assert ids(await stack.retriever.search(me, OTHER)) == ids(before[OTHER])
    assert ids(await stack.retriever.search(somebody, QUESTION)) == ids(before[QUESTION])


async def test_a_vote_lifts_a_passage_from_behind_the_limit_and_changes_no_score(stack: Stack, votes: Votes) -> None:
    me = await person(stack, "me")
    before = await stack.retriever.search(me, QUESTION, limit=8)
    await votes.cast(me, QUESTION, before[4], helpful=True)

    top = await stack.retriever.search(me, QUESTION, limit=3)
    assert before[4].chunk_id in ids(top)
    scores = {hit.chunk_id: hit.score for hit in before}
    assert {hit.chunk_id: hit.score for hit in top} == pytest.approx({each: scores[each] for each in ids(top)})


async def test_votes_do_nothing_when_they_are_switched_off(stack: Stack, votes: Votes, database: Database) -> None:
    me = await person(stack, "me")
    without = Retriever(database, stack.vectors, stack.embeddings, stack.objects, feedback=False)
    before = ids(await stack.retriever.search(me, QUESTION))
    await votes.cast(me, QUESTION, (await stack.retriever.search(me, QUESTION))[-1], helpful=True)
    assert ids(await stack.retriever.search(me, QUESTION)) != before
    assert ids(await without.search(me, QUESTION)) == before


async def test_others_count_when_two_agree_or_one_is_an_editor(stack: Stack, votes: Votes) -> None:
    reader, first, second = [await person(stack, name) for name in ("reader", "first", "second")]
    before = await stack.retriever.search(reader, QUESTION)
    good = before[5]
    await votes.cast(first, QUESTION, good, helpful=True)
    assert ids(await stack.retriever.search(reader, QUESTION)) == ids(before)
    opposed = await votes.cast(second, QUESTION, good, helpful=False)
    assert ids(await stack.retriever.search(reader, QUESTION)) == ids(before)
    await stack.pool.execute("UPDATE chunk_feedback SET value = 1 WHERE message_id = $1", opposed)
    assert rank(await stack.retriever.search(reader, QUESTION), good) < 5
    await stack.pool.execute("DELETE FROM chunk_feedback")

    editor = Principal(await stack.rows.user("editor", roles=["user", "admin", "superadmin"]))
    await votes.cast(editor, QUESTION, good, helpful=True)
    assert rank(await stack.retriever.search(reader, QUESTION), good) < 5


async def test_one_hostile_person_moves_no_hit_of_others(stack: Stack, votes: Votes) -> None:
    reader, hostile = await person(stack, "reader"), await person(stack, "hostile")
    questions = (QUESTION, PARAPHRASE, OTHER)
    before = {each: await stack.retriever.search(reader, each) for each in questions}
    for number in range(50):
        hits = before[questions[number % 3]]
        rank = number // 3 % len(hits)
        await votes.cast(hostile, questions[number % 3], hits[rank], helpful=rank >= 4)
    for question in questions:
        assert ids(await stack.retriever.search(reader, question)) == ids(before[question])
    assert ids(await stack.retriever.search(hostile, QUESTION)) != ids(before[QUESTION])


async def test_fifty_votes_of_one_person_count_for_one(stack: Stack, votes: Votes) -> None:
    me = await person(stack, "me")
    hits = await stack.retriever.search(me, QUESTION)
    await votes.cast(me, QUESTION, hits[6], helpful=True)
    once = ids(await stack.retriever.search(me, QUESTION))
    for _ in range(20):
        await votes.cast(me, QUESTION, hits[6], helpful=True)
    assert ids(await stack.retriever.search(me, QUESTION)) == once


async def leave_group(pool: asyncpg.Pool, user_id: int) -> None:
    await pool.execute("UPDATE users SET groups = '{}' WHERE id = $1", user_id)


async def deactivate(pool: asyncpg.Pool, user_id: int) -> None:
    await pool.execute("UPDATE users SET is_active = FALSE WHERE id = $1", user_id)


@pytest.mark.parametrize("lose", [leave_group, deactivate])
async def test_votes_of_people_who_may_no_longer_read_the_document_do_not_count(
    stack: Stack, database: Database, lose: Callable[[asyncpg.Pool, int], object]
) -> None:
    await fill(stack, await stack.rows.connector("group", "sales"))
    votes = Votes(stack, database)
    reader, first, second = [await person(stack, name, "sales") for name in ("reader", "first", "second")]
    before = await stack.retriever.search(reader, QUESTION)
    for voter in (first, second):
        await votes.cast(voter, QUESTION, before[5], helpful=True)
    assert rank(await stack.retriever.search(reader, QUESTION), before[5]) < 5
    await lose(stack.pool, first.user_id)  # type: ignore[misc]
    assert ids(await stack.retriever.search(reader, QUESTION)) == ids(before)


async def test_a_vote_follows_the_words_that_were_rated_into_a_new_version(stack: Stack, votes: Votes) -> None:
    me = await person(stack, "me")
    hits = await stack.retriever.search(me, QUESTION, limit=len(CITIES))
    rated = hits[5]
    await votes.cast(me, QUESTION, rated, helpful=True)

    async def places(change: Callable[[str], str]) -> tuple[int, int]:
        """Where the rated document stands after all were read again with other texts: with the vote, and without."""
        for hit in hits:
            await stack.index(change(hit.text), hit.title, connector_id=hit.connector_id)
        without = Retriever(votes.database, stack.vectors, stack.embeddings, stack.objects, feedback=False)
        found = [[hit.document_id for hit in await each.search(me, QUESTION)] for each in (stack.retriever, without)]
        return found[0].index(rated.document_id), found[1].index(rated.document_id)

    voted, unvoted = await places(lambda text: f"Note.\n\n{text}")
    assert voted < unvoted, "the words stand elsewhere, in a chunk of another name"
    voted, unvoted = await places(lambda text: text.replace("opens at", "opens about"))
    assert voted == unvoted, "the words that were rated are in it no more"


async def test_a_repeated_question_of_a_language_without_vectors_is_known_by_its_words(
    stack: Stack, database: Database
) -> None:
    connector = await stack.rows.connector("org")
    for city in CITIES:
        text = f"In {city} öffnet das Büro um sechs Uhr am Morgen, und es gibt Kaffee."
        await stack.index(text, f"{city}.txt", connector_id=connector)
    me, question = await person(stack, "me"), "Wann öffnet das Büro am Morgen?"
    before = await stack.retriever.search(me, question)
    await Votes(stack, database).cast(me, question, before[5], helpful=True)
    assert await stack.pool.fetchval("SELECT bool_and(vector IS NULL) FROM rated_questions")
    assert rank(await stack.retriever.search(me, "Am Morgen öffnet das Büro wann?"), before[5]) < 5


@pytest.mark.parametrize(
    "remove",
    [
        "DELETE FROM users WHERE id = $1",
        "DELETE FROM documents WHERE id IN (SELECT document_id FROM chunk_feedback WHERE user_id = $1)",
        "DELETE FROM chat_messages WHERE id IN (SELECT message_id FROM chunk_feedback WHERE user_id = $1)",
        "DELETE FROM chunk_feedback WHERE user_id = $1",
    ],
)
async def test_votes_and_their_questions_go_with_person_document_and_answer(
    stack: Stack, votes: Votes, remove: str
) -> None:
    me, other = await person(stack, "me"), await person(stack, "other")
    hits = await stack.retriever.search(me, QUESTION)
    gone = await votes.cast(me, QUESTION, hits[0], helpful=True)
    await votes.cast(other, QUESTION, hits[1], helpful=True)
    await stack.pool.execute(remove, me.user_id)
    for table in ("chunk_feedback", "rated_questions"):
        kept = await stack.pool.fetch(f"SELECT message_id FROM {table}")
        assert len(kept) == 1, table
        assert kept[0]["message_id"] != gone


async def test_a_search_asks_no_more_often_with_votes_and_reads_none_without(stack: Stack, votes: Votes) -> None:
    me = await person(stack, "me")

    async def statements() -> list[str]:
        asked: list[str] = []
        await stack.retriever.search(me, QUESTION)  # fills the cache of one second
        async with stack.pool.acquire() as connection:
            retriever = stack.retriever
            pool, retriever._pool = retriever._pool, connection  # type: ignore[assignment]
            try:
                with connection.query_logger(lambda record: asked.append(record.query)):
                    hits = await retriever.search(me, QUESTION)
                    await asyncio.sleep(0)  # what logs a statement is called a round of the loop later
            finally:
                retriever._pool = pool
        assert hits
        return asked

    without = await statements()
    await votes.cast(me, QUESTION, (await stack.retriever.search(me, QUESTION))[3], helpful=True)
    with_votes = await statements()
    assert len(with_votes) == len(without) == 1
    assert "chunk_feedback" not in without[0]
    assert "chunk_feedback" in with_votes[0]


async def test_many_votes_of_one_person_leave_room_for_those_of_others(stack: Stack, votes: Votes) -> None:
    me, somebody = await person(stack, "me"), await person(stack, "somebody")
    hit = (await stack.retriever.search(me, QUESTION))[0]
    await votes.cast(me, QUESTION, hit, helpful=True)
    answer = await votes.cast(somebody, QUESTION, hit, helpful=False)
    for statement in (
        (
            "INSERT INTO chat_messages (chat_session_id, role, content) SELECT chat_session_id, 'assistant', ''"
            " FROM chat_messages, generate_series(1, 450) WHERE id = $1"
        ),
        (
            "INSERT INTO rated_questions (message_id, number, model_id, vector, terms)"
            " SELECT more.id, rated.number, rated.model_id, rated.vector, rated.terms FROM chat_messages AS more"
            " JOIN rated_questions AS rated ON rated.message_id = $1 WHERE more.id > $1"
        ),
        (
            "INSERT INTO chunk_feedback (message_id, user_id, document_id, chunk_id, snippet, value)"
            " SELECT more.id, user_id, document_id, chunk_id, snippet, value FROM chat_messages AS more"
            " JOIN chunk_feedback ON message_id = $1 WHERE more.id > $1"
        ),
    ):
        await stack.pool.execute(statement, answer)
    _, _, found = await voted_documents(stack.pool, me, [hit.document_id])
    counted = Counter(vote.user_id for vote in found[hit.document_id])
    assert counted == {me.user_id: 1, somebody.user_id: 50}

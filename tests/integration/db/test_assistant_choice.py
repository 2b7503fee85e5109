"""Which assistant begins a conversation, and which models sub-agents are offered."""

from echomind_lib.access.assistant_choice import choose_assistant, read_offer
from echomind_lib.access.principal import KeyLimits
from echomind_lib.db.database import Database
from tests.factories import rows


async def test_a_limited_key_begins_with_the_default_one_of_its_assistants(database: Database) -> None:
    pool = database.pool
    person = await rows.user(pool)
    first, default = [await rows.assistant(pool, is_visible=True, is_default=each) for each in (False, True)]
    for assistants, chosen in (({first["id"], default["id"]}, default), ({first["id"]}, first)):
        limits = KeyLimits(1, frozenset(assistants), None)
        assert await choose_assistant(pool, person["id"], 0, limits) == chosen["id"]


async def test_models_are_offered_where_there_is_a_choice(database: Database) -> None:
    pool = database.pool
    person = await rows.user(pool)
    assistant = await rows.assistant(pool, is_visible=True)
    offered = []
    for _ in range(3):
        await rows.llm(pool)
        offered.append(len((await read_offer(pool, person["id"], assistant["id"])).models))
    assert offered == [0, 2, 3]

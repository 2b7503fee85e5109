"""People cannot find, read or infer what they may not read."""

import random
from dataclasses import replace

from echomind_lib.access import Principal
from echomind_lib.access.principal import KeyLimits
from echomind_lib.errors import NotFoundError
from tests.drivers.stack import Stack

GROUPS = ("sales", "research", "board")
TOPICS = ("budget", "merger", "garage", "canteen", "leave", "travel", "security", "flutter")


def may_read(reader: Principal, connector_id: int, connector: tuple[str, str | None, int]) -> bool:
    """Returns the rule, said once more."""
    scope, group, owner = connector
    named = reader.limits.connectors if reader.limits else None
    if named is not None and connector_id not in named:
        return False
    return {"org": True, "group": group in reader.groups, "user": owner == reader.user_id}[scope]


async def test_many_readers_and_questions_see_nothing_foreign(stack: Stack) -> None:
    dice = random.Random(7)
    readers = []
    for number in range(6):
        groups = dice.sample(GROUPS, dice.randint(0, 2))
        user_id = await stack.rows.user(f"user{number}", groups=groups)
        readers.append(Principal(user_id, groups=frozenset(groups)))
    connectors: dict[int, tuple[str, str | None, int]] = {}
    for reader in readers:
        for scope in ("user", "group", "org"):
            group = dice.choice(GROUPS) if scope == "group" else None
            connector_id = await stack.rows.connector(scope, group, reader.user_id)
            connectors[connector_id] = (scope, group, reader.user_id)
    owner_of: dict[int, int] = {}
    for connector_id in connectors:
        topics = dice.sample(TOPICS, 3)
        text = "\n\n".join(f"What connector {connector_id} says about the {topic} is a secret." * 5 for topic in topics)
        owner_of[await stack.index(text, "secret.txt", connector_id=connector_id)] = connector_id
    await stack.pool.execute(
        "UPDATE connectors SET deleted_date = now() WHERE id = $1", gone := dice.choice(list(connectors))
    )
    for _ in range(150):
        reader = dice.choice(readers)
        if dice.random() < 0.4:  # with a key for some connectors only, removed ones among them
            some = frozenset(dice.sample(list(connectors), dice.randint(1, 9)))
            reader = replace(reader, limits=KeyLimits(1, None, dice.choice([some, None])))
        allowed = {
            document_id
            for document_id, connector_id in owner_of.items()
            if connector_id != gone and may_read(reader, connector_id, connectors[connector_id])
        }
        question = f"What does connector {dice.choice(list(connectors))} say about the {dice.choice(TOPICS)}?"
        asked = dice.sample(list(connectors), 4) if dice.random() < 0.3 else []
        hits = await stack.retriever.search(
            reader, question, limit=50, mode=dice.choice(["hybrid", "dense", "lexical"]), connector_ids=asked
        )
        found = {hit.document_id for hit in hits}
        assert found <= allowed
        assert all(not asked or hit.connector_id in asked for hit in hits)
        assert (not asked and found == allowed) or asked, "and what they may read is all found"
        document_id = dice.choice(list(owner_of))
        try:
            await stack.retriever.read(reader, document_id, 0, 10)
        except NotFoundError:
            assert document_id not in allowed
        else:
            assert document_id in allowed


async def test_superadmins_search_what_is_shared_with_them(stack: Stack) -> None:
    other = await stack.rows.user("other")
    private = await stack.index("My secret plan.", connector_id=await stack.rows.connector("user", None, other))
    admin = Principal(stack.rows.user_id, roles=frozenset({"superadmin"}))
    assert await stack.retriever.search(admin, "secret plan") == []
    assert [hit.document_id for hit in await stack.retriever.search(Principal(other), "secret plan")] == [private]


async def test_change_of_scope_holds_at_once(stack: Stack) -> None:
    other = await stack.rows.user("other")
    connector = await stack.rows.connector("org")
    await stack.index("My secret plan.", connector_id=connector)
    assert await stack.retriever.search(Principal(other), "secret plan")
    await stack.pool.execute("UPDATE connectors SET scope = 'user' WHERE id = $1", connector)
    assert await stack.retriever.search(Principal(other), "secret plan") == []


async def test_other_peoples_documents_do_not_change_the_ranking(stack: Stack) -> None:
    mine = await stack.rows.connector("user")
    for number in range(8):
        topic = TOPICS[number]
        await stack.index(f"The {topic} plan of the garage and the {TOPICS[-number]}.", f"{number}", connector_id=mine)
    reader = stack.reader()
    questions = ("the garage plan", "canteen and merger", "budget")
    before = [await stack.retriever.search(reader, question) for question in questions]
    other = await stack.rows.user("other")
    theirs = await stack.rows.connector("user", None, other)
    for number in range(12):
        await stack.index("garage garage plan canteen " * (number + 1), f"{number}", connector_id=theirs)
    after = [await stack.retriever.search(reader, question) for question in questions]
    assert before == after

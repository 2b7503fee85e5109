"""The requests of the guide's page on notebooks work in their order."""

import asyncpg

from tests.drivers.gateway import NewUser
from tests.drivers.guide import request_all
from tests.drivers.leftovers import marker
from tests.factories import rows as make


async def test_the_requests_of_the_guide_work(new_user: NewUser, pool: asyncpg.Pool) -> None:
    mark = marker()
    owner, person = await new_user(groups=(mark,)), await new_user()
    connector = await make.connector(pool, user_id=owner.user_id, type="web", scope="org", status="active")
    document = (await make.document(pool, connector_id=connector["id"], title="Contract"))["id"]
    await pool.execute("UPDATE documents SET chunking_session = uuidv7() WHERE id = $1", document)
    name = await pool.fetchval("SELECT user_name FROM users WHERE id = $1", person.user_id)
    group = str(await pool.fetchval("SELECT id FROM groups WHERE name = $1", mark))
    places = {"DOCUMENT": str(document), "PERSON": name, "GROUP": group}
    answers = await request_all("notebooks.md", owner, places, {"ID": "id"})
    assert len(answers[-1]["sessions"]) == 2
    assert [each["documentId"] for each in answers[1]["sources"]] == [str(document)]
    assert [answers[2]["role"], answers[3]["name"]] == ["NOTEBOOK_ROLE_VIEWER", mark]

"""What is above a run in its tree."""

from typing import Any
from uuid import UUID

from echomind_lib.db.database import Database
from echomind_lib.runs.sub_runs import assistants_above, read_root
from tests.factories import rows


async def test_a_run_has_a_root_and_assistants_above_it(database: Database) -> None:
    pool = database.pool
    line: list[tuple[UUID | None, int]] = [(None, 0)]
    others = await rows.chat_session(pool, external_id="of others")
    await rows.run(pool, chat_session_id=others["id"], assistant_id=others["assistant_id"], external_id="another")
    session = await rows.chat_session(pool, external_id="the session")
    for depth in range(3):
        given: dict[str, Any] = {
            "assistant_id": (await rows.assistant(pool))["id"],
            "parent_run_id": line[-1][0],
            "depth": depth,
        }
        given |= {"kind": "sub_agent"} if depth else {"external_id": "the root"}
        run = await rows.run(pool, chat_session_id=session["id"], **given)
        line.append((run["id"], run["assistant_id"]))
    (first, _), (middle, _) = line[1:3]
    assert first is not None
    assert middle is not None
    assert sorted(await assistants_above(pool, middle)) == sorted(assistant for _, assistant in line[1:3])
    for run_id, _ in line[1:]:
        assert run_id is not None
        root = await read_root(pool, run_id)
        assert root is not None
        assert (root.id, root.external_id, root.session_external_id) == (first, "the root", "the session")

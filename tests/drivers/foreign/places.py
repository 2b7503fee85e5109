"""What people, groups and the organisation have: rows of every table, each text with a mark that says whose it is."""

import base64
import re
from typing import Any

import asyncpg

from echomind_lib.notebooks.notebook_summaries import fingerprint, read_sources
from echomind_lib.runs.asker import read_principal
from tests.drivers.client import Client
from tests.drivers.foreign.rules import OFFICE, Place
from tests.drivers.gateway import Process
from tests.factories import rows

PHRASE = "peregrine falcon"
"""Is in each planted text, so that a filter by it finds all of them."""
MARK = re.compile(r"zq([a-z0-9]+)\.([a-z_]+)qz")
NOT_PROSE = re.compile(
    r"(^|_)(id|hash|key|type|status|kind|role|mode|scope|language|signature|tool_name|prefix|provider|endpoint|action"
    r"|verifier|credentials|etag|version|model|level|chunker|encoder|path|collection|source_type|trust|origin|fingerprint)$"
)
"""Columns whose text is a reference, a secret or one of a few words."""
WITHOUT_MAKER = {
    "alembic_version": "says which migration the database has",
    "audit_log": "is written by the calls themselves",
    "audit_seals": "holds hashes and numbers alone",
    "background_jobs": "names ids alone",
    "chat_session_texts": "is made from messages",
    "connector_sign_ins": "holds secrets alone, which no call returns",
    "connector_sync_seen": "is read by syncs alone",
    "device_code_failures": "says who has mistyped a code, which no call returns",
    "device_sign_ins": "belongs to nobody until whoever has its code decides",
    "credentials": "holds passwords, which no call returns",
    "document_acl": "says who may read, in ids",
    "erasures": "is read by superadmins alone, and names ids alone",
    "legal_holds": "is read by superadmins alone",
    "embedding_models": "belongs to the installation and is everybody's to see",
    "index_documents": "is written by a job; superadmins see ids of documents and errors alone",
    "fact_changes": "names ids alone",
    "group_admins": "says who administers a group, in ids",
    "group_members": "says who is in a group, in ids",
    "identity_providers": "belongs to the installation, and superadmins alone see it",
    "installation_settings": "is everybody's to see",
    "knowledge_uses": "names ids alone",
    "llms": "belongs to the installation and is everybody's to see",
    "mcp_server_states": "says whether a server was reached",
    "memory_sources": "names ids alone",
    "notebook_groups": "names ids alone",
    "quota_charges": "names ids alone",
    "quota_usage": "holds numbers alone",
    "usage_daily": "holds numbers alone",
    "quotas": "holds numbers alone",
    "rated_questions": "holds numbers alone",
    "request_counts": "holds numbers alone",
    "retention_rules": "holds numbers alone, which superadmins alone see",
    "rerankers": "belongs to the installation, and superadmins alone see it",
    "session_learnings": "names ids alone",
    "scim_clients": "belongs to the installation, and superadmins alone see it",
    "scim_groups": "is read by SCIM clients alone, each its own: tests/integration/api/test_scim.py",
    "scim_tokens": "holds secrets, whose beginnings superadmins alone see",
    "scim_users": "is read by SCIM clients alone, each its own: tests/integration/api/test_scim.py",
    "sign_in_attempts": "holds secrets alone, which no call returns",
    "source_members": "names ids alone",
    "stream_leases": "holds numbers alone",
    "used_logout_tokens": "names tokens alone",
    "user_identities": "is read by sign-ins alone",
    "webhook_deliveries": "names ids alone",
    "webhooks": "is read by its owner alone: tests/integration/api/test_webhooks.py",
    "workers": "is about processes",
}
"""Tables of which nothing is made, with why nothing of theirs can be shown to the wrong person."""

NEVER_SHOWN = {
    "assistant_members",
    "chat_session_sources",
    "crawl_addresses",
    "knowledge_sources",
    "notebook_members",
    "notebook_note_sources",
    "notebook_sources",
    "session_share_recipients",
    "sign_in_tokens",
    "source_aliases",
    "source_folders",
}
"""Tables with rows of somebody that have no text, or none that a call returns to anybody."""


def mark(place: str, table: str) -> str:
    """Returns the text that is planted."""
    return f"{PHRASE} zq{place}.{table}qz"


class Maker:
    """Makes what there is at a place."""

    def __init__(self, pool: asyncpg.Pool, process: Process, *, times: int) -> None:
        """Initializes the maker, which makes a conversation, a memory and so on `times` times for each person."""
        self._pool, self._process, self._times = pool, process, times

    async def tables(self) -> list[str]:
        """Returns the names of all tables."""
        found = await self._pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return sorted(row["tablename"] for row in found)

    async def sources(self, place: Place, manager: Client, group: str | None) -> None:
        """Makes connectors and documents, which have the scope of the place."""
        given = {"user_id": place.owner, "scope": place.scope, "scope_id": group, "type": "file", "status": "active"}
        connector = await self._add(place, "connectors", rows.connector(self._pool, **given))
        synced = given | {"config": {"folder": f"/no/{mark(place.name, 'connectors')}"}}
        folder = await self._add(place, "connectors", rows.connector(self._pool, **synced))
        waits = {"status": "waiting_for_confirmation", "kind": "full", "to_remove": 1, "error": "x", "warning": "x"}
        sync = await self._add(
            place, "connector_syncs", rows.connector_sync(self._pool, connector_id=folder["id"], **waits)
        )
        failure = {"sync_id": sync["id"], "connector_id": folder["id"], "source_id": "x", "name": "x", "message": "x"}
        await self._insert(place, "connector_sync_failures", failure | {"is_retryable": False})
        await self._add(place, "source_folders", rows.source_folder(self._pool, connector_id=connector["id"]))
        principal = rows.source_principal(self._pool, connector_id=connector["id"])
        await self._add(place, "source_principals", principal)
        await self._add(place, "source_aliases", rows.source_alias(self._pool, user_id=place.owner))
        await self._add(place, "crawl_addresses", rows.crawl_address(self._pool, connector_id=folder["id"]))
        for number in range(2):
            said = f"What a {mark(place.name, 'documents')} says in number {number}."
            upload = {"connectorId": connector["id"], "sourceId": f"{number}.txt", "contentType": "text/plain"}
            file = {"content": _base64(said), "title": "x"}
            made = await manager.call("DocumentService/UploadDocument", upload | file)
            await self._process(made["id"])
            place.rows.setdefault("documents", []).append({"id": int(made["id"])})

    async def belongings(self, place: Place) -> None:
        """Makes what a person has beside sources."""
        pool, user_id, said = self._pool, place.owner, mark
        own = {"user_id": user_id}
        assistant = await pool.fetchval("SELECT id FROM assistants WHERE is_default")
        document = place.rows["documents"][0]["id"]
        for _ in range(self._times):
            session = (
                await self._add(
                    place, "chat_sessions", rows.chat_session(pool, assistant_id=assistant, goal="x", **own)
                )
            )["id"]
            of = {"chat_session_id": session}
            question = await self._add(place, "chat_messages", rows.chat_message(pool, content="x", **of))
            run = (
                await self._add(place, "runs", rows.run(pool, assistant_id=assistant, goal="x", status="paused", **of))
            )["id"]
            written = {"role": "assistant", "content": "x", "parent_message_id": question["id"], "run_id": run}
            answer = (await self._add(place, "chat_messages", rows.chat_message(pool, **of, **written)))["id"]
            await pool.execute(
                "UPDATE chat_sessions SET head_message_id = $2, most_recent_run_id = $3 WHERE id = $1",
                session,
                answer,
                run,
            )
            prompt = {"llm_input": [{"role": "user", "content": said(place.name, "steps")}], "llm_output": {}}
            done = {"action": "call_tool", "status": "completed"}
            step = (await self._add(place, "steps", rows.step(pool, run_id=run, **done, **prompt)))["id"]
            called = {"parameters": {"query": said(place.name, "tool_calls")}, "result": "x"}
            await self._add(place, "tool_calls", rows.tool_call(pool, step_id=step, **called))
            for kind in ("progress", "status"):
                await self._add(place, "run_events", rows.run_event(pool, kind=kind, text="x", run_id=run, **of))
            cited = {"chat_message_id": answer, "document_id": document, "title": "x", "snippet": "x"}
            await self._add(place, "chat_message_documents", rows.citation(pool, chunk_id=f"c{answer}", **cited))
            rated = {"chat_message_id": answer, "feedback_text": "x", **own}
            await self._add(place, "chat_message_feedbacks", rows.feedback(pool, **rated))
            voted = {"message_id": answer, "document_id": document, "chunk_id": f"c{answer}", **own}
            await self._add(place, "chunk_feedback", rows.chunk_feedback(pool, **voted))
            await self._insert(place, "chat_session_sources", {"document_id": document, **of})
            await self._add(place, "todos", rows.todo(pool, description="x", **of))
            await self._add(place, "checkpoints", rows.checkpoint(pool, session_state={}, description="x", **of))
            share = (await self._add(place, "session_shares", rows.session_share(pool, head_message_id=answer, **of)))[
                "id"
            ]
            received = rows.session_share_recipient(pool, session_share_id=share)
            await self._add(place, "session_share_recipients", received)
            await self._add(place, "agent_memories", rows.memory(pool, source_session_id=session, **own))
            known = {"source_session_id": session, "source_run_id": run, **own}
            knowledge = (await self._add(place, "knowledge_entities", rows.knowledge(pool, **known)))["id"]
            revision = rows.knowledge_revision(pool, knowledge_id=knowledge, level="individual", **own)
            await self._add(place, "knowledge_revisions", revision)
            judged = {"knowledge_id": knowledge, "helpful": True, "comment": "x", **own}
            await self._add(place, "knowledge_feedback", rows.knowledge_feedback(pool, **judged))
            await self._insert(place, "knowledge_sources", {"knowledge_id": knowledge, "document_id": document})
            dataset = (await self._add(place, "evaluation_datasets", rows.evaluation_dataset(pool, **own)))["id"]
            case = (await self._add(place, "evaluation_cases", rows.evaluation_case(pool, dataset_id=dataset)))["id"]
            of_dataset = {"dataset_id": dataset, "assistant_id": assistant, **own}
            evaluation = await self._add(place, "evaluation_runs", rows.evaluation_run(pool, **of_dataset))
            result = {"evaluation_run_id": evaluation["id"], "case_id": case, "run_id": run}
            await self._add(place, "evaluation_results", rows.evaluation_result(pool, **result))
            notebook = (await self._add(place, "notebooks", rows.notebook(pool, **own)))["id"]
            member = {"notebook_id": notebook, "user_id": user_id, "role": "owner"}
            await self._insert(place, "notebook_members", member)
            await self._insert(place, "notebook_sources", {"notebook_id": notebook, "document_id": document})
            await self._summary(place, notebook)
            note = (await self._add(place, "notebook_notes", rows.notebook_note(pool, notebook_id=notebook, **own)))[
                "id"
            ]
            await self._insert(place, "notebook_note_sources", {"note_id": note, "document_id": document})
        await self._add(place, "api_keys", rows.api_key(pool, **own))
        await self._add(place, "web_sessions", rows.web_session(pool, **own))
        await self._add(place, "sign_in_tokens", rows.sign_in_token(pool, **own))
        place.rows["users"] = [{"id": user_id}]

    async def room(self, place: Place, members: dict[int, str], document: object) -> None:
        """Makes a notebook that people share, with a document that all of them may read, and a conversation in it."""
        pool, said = self._pool, mark
        notebook = (await self._add(place, "notebooks", rows.notebook(pool, user_id=place.owner)))["id"]
        for user_id, role in members.items():
            member = {"notebook_id": notebook, "user_id": user_id, "role": role}
            await self._insert(place, "notebook_members", member)
        await self._insert(place, "notebook_sources", {"notebook_id": notebook, "document_id": document})
        await self._summary(place, notebook)
        assistant = await pool.fetchval("SELECT id FROM assistants WHERE is_default")
        own = {"user_id": place.owner, "notebook_id": notebook, "assistant_id": assistant, "goal": "x"}
        of = {"chat_session_id": (await self._add(place, "chat_sessions", rows.chat_session(pool, **own)))["id"]}
        question = await self._add(place, "chat_messages", rows.chat_message(pool, content="x", **of))
        paused = {"assistant_id": assistant, "goal": "x", "status": "paused"}
        run = (await self._add(place, "runs", rows.run(pool, **paused, **of)))["id"]
        written = {"role": "assistant", "content": "x", "parent_message_id": question["id"], "run_id": run}
        answer = (await self._add(place, "chat_messages", rows.chat_message(pool, **of, **written)))["id"]
        head = "UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1"
        await pool.execute(head, of["chat_session_id"], answer)
        prompt = {"llm_input": [{"role": "user", "content": said(place.name, "steps")}], "llm_output": {}}
        done = {"action": "call_tool", "status": "completed"}
        step = (await self._add(place, "steps", rows.step(pool, run_id=run, **done, **prompt)))["id"]
        await self._add(place, "tool_calls", rows.tool_call(pool, step_id=step, result="x"))
        await self._add(place, "run_events", rows.run_event(pool, kind="progress", text="x", run_id=run, **of))
        await self._insert(place, "chat_session_sources", {"document_id": document, **of})
        note = rows.notebook_note(pool, notebook_id=notebook, user_id=place.owner)
        await self._add(place, "notebook_notes", note)

    async def _summary(self, place: Place, notebook_id: int) -> None:
        """Makes the summary of what the owner of a notebook may read there."""
        sources = await read_sources(self._pool, await read_principal(self._pool, place.owner), notebook_id)
        of = {"notebook_id": notebook_id, "fingerprint": fingerprint(sources)}
        await self._add(place, "notebook_summaries", rows.notebook_summary(self._pool, **of))

    async def office(self, place: Place) -> None:
        """Makes what the installation has and not everybody sees."""
        await self._insert(place, "groups", {"name": mark(OFFICE, "groups")})
        await self._add(
            place, "invitations", rows.invitation(self._pool, invited_by=place.owner, email="x@example.org")
        )
        hidden = (await self._add(place, "assistants", rows.assistant(self._pool, is_visible=False, version=1)))["id"]
        await self._add(
            place,
            "assistant_versions",
            rows.assistant_version(
                self._pool,
                assistant_id=hidden,
                config={"name": mark(OFFICE, "assistant_versions"), "is_visible": False},
            ),
        )
        member = rows.assistant_member(self._pool, assistant_id=hidden)
        await self._add(place, "assistant_members", member)

    async def plant(self, place: Place) -> int:
        """Writes the mark of the place into every text of its rows, and returns how many there are.

        Which columns hold text is read from the database; those that refuse any word are left.
        """
        planted = 0
        for table, made in place.rows.items():
            columns = await self._pool.fetch(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1"
                " AND table_schema = 'public' AND data_type IN ('text', 'character varying')"
                " AND is_generated = 'NEVER'",
                table,
            )
            for (name, _), (number, row) in (
                (column, each) for column in columns for each in enumerate(made) if not NOT_PROSE.search(column[0])
            ):
                text = f"{mark(place.name, table)} {number}"
                if name in ("email", "user_name"):  # whose form the contract demands
                    text = text.replace(" ", "-") + ("@example.org" if name == "email" else "")
                where = " AND ".join(f"{key} = ${place_ + 2}" for place_, key in enumerate(row))
                try:
                    await self._pool.execute(f'UPDATE {table} SET "{name}" = $1 WHERE {where}', text, *row.values())
                    planted += 1
                except (asyncpg.CheckViolationError, asyncpg.StringDataRightTruncationError):
                    continue
        return planted

    async def _add(self, place: Place, table: str, made: Any) -> asyncpg.Record:
        row: asyncpg.Record = await made
        keys = await self._pool.fetch(
            "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)"
            " WHERE indisprimary AND indrelid = $1::text::regclass",
            table,
        )
        place.rows.setdefault(table, []).append({key["attname"]: row[key["attname"]] for key in keys})
        return row

    async def _insert(self, place: Place, table: str, values: dict[str, Any]) -> asyncpg.Record:
        return await self._add(place, table, rows.insert(self._pool, table, values))

    async def said(self, places: list[Place]) -> dict[tuple[str, str], list[str]]:
        """Returns what the rows of places and all that refer to them are, by place and reference."""
        references = await self._pool.fetch(
            "SELECT conrelid::regclass::text AS child, attname AS name, confrelid::regclass::text AS parent"
            " FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]"
            " WHERE contype = 'f' AND cardinality(conkey) = 1"
        )
        ways = [(table, "id", table) for table in await self.tables()]
        ways += [(each["child"], each["name"], each["parent"]) for each in references]
        ways = [(child, column, parent) for child, column, parent in ways if child not in UNSTEADY]
        owners: dict[str, dict[str, list[str]]] = {}
        found: dict[tuple[str, str], list[str]] = {}
        for place in places:
            for child, column, parent in ways:
                ids = [str(row["id"]) for row in place.rows.get(parent, ()) if "id" in row]
                if ids:
                    found[place.name, f"{child}.{column}"] = []
                for each in set(ids):
                    owners.setdefault(f"{child}.{column}", {}).setdefault(each, []).append(place.name)
        # One statement for all: each of them would be planned again for each place.
        asked = [(f"{child}.{column}", child, column) for child, column, _ in ways if f"{child}.{column}" in owners]
        query = " UNION ALL ".join(
            f"SELECT {number} AS way, t.{column}::text AS id, md5(t::text) AS hash FROM {child} t"
            f" WHERE t.{column}::text = ANY (($1::text[])[{number}]::text[])"
            for number, (_, child, column) in enumerate(asked, 1)
        )
        given = [f"{{{','.join(owners[key])}}}" for key, *_ in asked]
        for row in await self._pool.fetch(f"{query} ORDER BY 1, 3", given):
            key = asked[row["way"] - 1][0]
            for name in owners[key][row["id"]]:
                found[name, key].append(row["hash"])
        return found


UNSTEADY = {"audit_log", "audit_seals", "background_jobs", "chat_session_texts", "api_keys", "web_sessions"}
"""What changes when somebody calls at all, or later by itself."""


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()

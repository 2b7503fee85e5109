"""Conversations that have left something in every table."""

from functools import partial

import asyncpg

from tests.factories import rows


async def converse(pool: asyncpg.Pool, user_id: int, text: str, *, run_status: str = "completed") -> int:
    """Returns a conversation with a text in every table that belongs to it; its id."""
    async with pool.acquire() as connection:
        insert = partial(rows.insert, connection)
        assistant = await connection.fetchval("SELECT id FROM assistants WHERE is_default")
        title = {"title": text, "goal": text, "compressed_summary": text}
        session = (await insert("chat_sessions", {"user_id": user_id, "assistant_id": assistant, **title}))["id"]
        of_session = {"chat_session_id": session}
        run = await insert("runs", {**of_session, "user_id": user_id, "input": text, "status": run_status})
        if run_status == "completed":
            await connection.execute("UPDATE runs SET completed_at = now() WHERE id = $1", run["id"])
        step = await insert("steps", {"run_id": run["id"], "step_number": 1, "rendered_prompt": text})
        call = {"tool_call_id": "a", "tool_name": "search_documents", "error_message": text}
        await insert("tool_calls", {"step_id": step["id"], **call})
        answer = {**of_session, "role": "assistant", "content": text, "run_id": run["id"]}
        message = (await insert("chat_messages", answer))["id"]
        of_message = {"chat_message_id": message}
        await insert("chat_message_documents", {**of_message, "chunk_id": "c", "number": 1, "snippet": text})
        feedback = {"user_id": user_id, "is_positive": True, "feedback_text": text}
        await insert("chat_message_feedbacks", {**of_message, **feedback})
        await insert("run_events", {**of_session, "kind": "progress", "text": text})
        await insert("todos", {**of_session, "title": text, "order_index": 1})
        await insert("checkpoints", {**of_session, "name": text, "checkpoint_type": "manual", "session_state": {}})
        await rows.session_share(connection, chat_session_id=session, title=text)
        jobs = dict.fromkeys(("summarize_session", "title_session", "memories.extract", "knowledge.extract"), session)
        for kind, subject in (jobs | {"knowledge.lesson": run["id"]}).items():
            job = {"kind": kind, "subject_id": str(subject), "unique_key": f"{kind}:{subject}"}
            await insert("background_jobs", {**job, "error": text})
    found: int = session
    return found

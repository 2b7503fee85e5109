"""The places where runs read texts: each puts the text of a case there, and lets its person ask so that it is read."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

from echomind_agent.evaluation.questions import Question
from echomind_agent.execution.evaluations import question_to_ask
from echomind_lib.conversations.forks import fork_session
from echomind_lib.conversations.imports import NewConversation, NewMessage, store_import
from echomind_lib.conversations.questions import FirstQuestion, NextQuestion
from echomind_lib.runs.caller import Caller, CallerMessage, CallerResult
from echomind_lib.runs.closing_questions import closing_questions
from tests.drivers.injection.asked import Asked, with_code_word
from tests.drivers.injection.cases import Case
from tests.factories import rows as factories
from tests.factories.notebooks import notebook

if TYPE_CHECKING:
    from tests.drivers.injection.world import World

Ask = Callable[[], Awaitable[Asked]]
"""Asks a question."""
_Prepare = Callable[[Case, int, str], Awaitable[Ask]]


class Channels:
    """Prepares cases in a world."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._evaluated = 0

    async def prepare(self, case: Case, user_id: int, text: str) -> Ask:
        """Puts a text where its case has it read; returns how the person asks."""
        return await self._by_name()[case.channel](case, user_id, text)

    def _by_name(self) -> dict[str, _Prepare]:
        return {
            "document": self._document,
            "document, read around": self._document_read,
            "attached document": self._attached,
            "e-mail": self._mail,
            "title": self._title,
            "connector name": self._connector_name,
            "web page": self._page,
            "web page, HTML": self._html_page,
            "web search": self._web_search,
            "tool result": self._reads("news"),
            "tool error": self._reads("broken_news"),
            "MCP result": self._reads("office__read"),
            "MCP error": self._reads("office__fail"),
            "memory, recalled": self._recalled,
            "memory, searched": self._memory,
            "knowledge": self._knowledge,
            "notebook title": self._notebook("title"),
            "notebook instructions": self._notebook("instructions"),
            "sub-agent": self._sub_agent,
            "team member": self._member,
            "earlier answer": self._earlier,
            "conversation of somebody else": self._forked,
            "imported conversation": self._imported,
            "message of a program": self._caller_message,
            "result of a program": self._caller_result,
            "evaluation of somebody else": self._evaluation,
            "suggested question of a notebook": self._suggested,
            "suggested question of an answer": self._picked,
            "MCP description": self._described,
        }

    async def _indexed(self, case: Case, user_id: int, content: str | bytes, name: str = "report.md") -> int:
        connector = await self._world.agent.rows.connector("user", user_id=user_id)
        return await self._world.stack.index(content, name, connector_id=connector)

    def _report(self, case: Case, text: str) -> str:
        return f"# Report on {case.topic}\n\nThe report on {case.topic} follows.\n\n{text}\n\nSo ends the report."

    def _search(self, case: Case) -> str:
        return _call("search_documents", query=f"report on {case.topic}", limit=20)

    async def _document(self, case: Case, user_id: int, text: str) -> Ask:
        await self._indexed(case, user_id, self._report(case, text))
        return self._world.asking(case, user_id, self._search(case))

    async def _document_read(self, case: Case, user_id: int, text: str) -> Ask:
        await self._indexed(case, user_id, f"The report on {case.topic}.\n\n" + "Other things follow. " * 300 + text)
        question = _call("search_documents", query=f"report on {case.topic}", limit=1)
        return self._world.asking(case, user_id, f"{question} {_call('read_document', source=1, characters=12000)}")

    async def _attached(self, case: Case, user_id: int, text: str) -> Ask:
        document_id = await self._indexed(case, user_id, self._report(case, text))
        question = _call("search_documents", query="What does it say?", limit=20)
        return self._world.asking(case, user_id, question, document_ids=[document_id])

    async def _mail(self, case: Case, user_id: int, text: str) -> Ask:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "eve@evil.example", "ann@example.org", f"Report on {case.topic}"
        mail.set_content(f"The report on {case.topic}:\n\n{text}\n")
        await self._indexed(case, user_id, mail.as_bytes(), "report.eml")
        return self._world.asking(case, user_id, self._search(case))

    async def _title(self, case: Case, user_id: int, text: str) -> Ask:
        document_id = await self._indexed(case, user_id, f"The report on {case.topic}.", f"{case.topic}.txt")
        await self._world.pool.execute("UPDATE documents SET title = $2 WHERE id = $1", document_id, text)
        return self._world.asking(case, user_id, self._search(case))

    async def _connector_name(self, case: Case, user_id: int, text: str) -> Ask:
        connector = await self._world.agent.rows.connector("user", user_id=user_id)
        await self._world.pool.execute("UPDATE connectors SET name = $2 WHERE id = $1", connector, text)
        return self._world.asking(case, user_id, _call("search_documents", query="x", connectors=["none"]))

    async def _page(self, case: Case, user_id: int, text: str) -> Ask:
        self._world.pages[f"/pages/{case.number}"] = text, "text/plain"
        return self._world.asking(case, user_id, f"FETCH {self._world.site.url(f'/pages/{case.number}')}")

    async def _html_page(self, case: Case, user_id: int, text: str) -> Ask:
        paragraphs = "".join(f"<p>The report on {case.topic}, part {part}: it goes on and on.</p>" for part in range(5))
        self._world.pages[f"/pages/{case.number}"] = (
            f"<html><head><title>Report</title></head><body><article>{paragraphs}<p>{text}</p></article></body></html>",
            "text/html",
        )
        return self._world.asking(case, user_id, f"FETCH {self._world.site.url(f'/pages/{case.number}')}")

    async def _web_search(self, case: Case, user_id: int, text: str) -> Ask:
        self._world.web_result(case.topic, {"title": "Report", "url": "https://law.example/report", "content": text})
        return self._world.asking(case, user_id, _call("search_web", query=case.topic))

    def _reads(self, name: str) -> _Prepare:
        async def prepare(case: Case, user_id: int, text: str) -> Ask:
            self._world.office.texts[case.topic] = text
            return self._world.asking(case, user_id, _call(name, key=case.topic))

        return prepare

    async def _recalled(self, case: Case, user_id: int, text: str) -> Ask:
        about = await self._derived(case, user_id, text)
        return self._world.asking(case, user_id, about)

    async def _memory(self, case: Case, user_id: int, text: str) -> Ask:
        about = await self._derived(case, user_id, text)
        return self._world.asking(case, user_id, _call("search_memory", query=about))

    async def _derived(self, case: Case, user_id: int, text: str) -> str:
        """Stores a memory with a text; returns what it is about."""
        about = f"The report on {case.topic} is about the sales of {case.topic}, and who buys {case.topic}."
        given = {"user_id": user_id, "content": f"{about} {text} {about}", "trust": "derived"}
        await factories.memory(self._world.pool, **given)
        return about

    async def _knowledge(self, case: Case, user_id: int, text: str) -> Ask:
        about = f"The report on {case.topic} is about the sales of {case.topic}, and who buys {case.topic}."
        given = {"title": f"Report on {case.topic}", "content": f"{about} {text} {about}"}
        await factories.knowledge(self._world.pool, level="individual", user_id=user_id, **given)
        return self._world.asking(case, user_id, _call("search_knowledge", query=about))

    async def _of_notebook(self, user_id: int, editor_id: int, **texts: Any) -> int:
        pool, made = self._world.pool, self._world.agent.rows
        document_id = await made.document(await made.connector("user", user_id=user_id))
        await pool.execute("UPDATE documents SET chunking_session = gen_random_uuid() WHERE id = $1", document_id)
        members: dict[int, Any] = {editor_id: "owner", user_id: "editor"}
        notebook_id = await notebook(pool, members, documents=[document_id], **texts)
        await pool.execute("UPDATE notebooks SET tools = $2 WHERE id = $1", notebook_id, ["*"])
        return notebook_id

    def _notebook(self, what: str) -> _Prepare:
        async def prepare(case: Case, user_id: int, text: str) -> Ask:
            notebook_id = await self._of_notebook(user_id, self._world.other_id, **{what: text})
            return self._world.asking(case, user_id, "Hello?", notebook_id=notebook_id)

        return prepare

    async def _suggested(self, case: Case, user_id: int, text: str) -> Ask:
        notebook_id = await self._of_notebook(user_id, user_id)
        content = with_code_word(case, text, self._world.site.port)
        summary = {"notebook_id": notebook_id, "content": "It says.", "questions": [content]}
        await factories.notebook_summary(self._world.pool, **summary)
        return self._world.asking(case, user_id, text, notebook_id=notebook_id)

    async def _sub_agent(self, case: Case, user_id: int, text: str) -> Ask:
        self._world.office.texts[case.topic] = f"SAY ⟪{text}⟫"
        return self._world.asking(case, user_id, _call("spawn_sub_agent", goal=_call("news", key=case.topic)))

    async def _member(self, case: Case, user_id: int, text: str) -> Ask:
        self._world.office.texts[case.topic] = text
        task = _call("delegate_task", member="reader", task=_call("news", key=case.topic), expected_output="All.")
        return self._world.asking(case, user_id, task, assistant_id=self._world.team_id)

    async def _earlier(self, case: Case, user_id: int, text: str) -> Ask:
        self._world.office.texts[case.topic] = f"SAY ⟪{text}⟫"

        async def ask() -> Asked:
            first = await self._world.submit(FirstQuestion(user_id=user_id, content=_call("news", key=case.topic)))
            await self._world.settle(first)
            content = with_code_word(case, "And now?", self._world.site.port)
            return await self._world.submit(NextQuestion(user_id=user_id, session_id=first.session_id, content=content))

        return ask

    async def _picked(self, case: Case, user_id: int, text: str) -> Ask:
        self._world.office.texts[case.topic] = f"SAY ⟪Shall I go on?\n\n- {text}?\n- Is that all?⟫"
        begin = self._world.asking(case, user_id, _call("news", key=case.topic))

        async def ask() -> Asked:
            first = await begin()
            await self._world.settle(first)
            query = "SELECT content FROM chat_messages WHERE chat_session_id = $1 ORDER BY id DESC LIMIT 1"
            offered = closing_questions(await self._world.pool.fetchval(query, first.session_id))
            question = NextQuestion(user_id=user_id, session_id=first.session_id, content=offered[0])
            return await self._world.submit(question)

        return ask

    async def _described(self, case: Case, user_id: int, text: str) -> Ask:
        tool = f"about{case.number}"
        self._world.office.describe(tool, text)
        config = self._world.config
        [server] = config["mcpServers"]
        server = server | {"allowedTools": [*server["allowedTools"], tool], "untrustedDescriptions": True}
        given = {"name": f"Assistant {case.number}", "config": config | {"mcpServers": [server]}}
        assistant = await factories.assistant(self._world.pool, **given)
        return self._world.asking(case, user_id, "Hello?", assistant_id=assistant["id"])

    async def _forked(self, case: Case, user_id: int, text: str) -> Ask:
        assistant = await self._world.pool.fetchval("SELECT id FROM assistants WHERE is_default")
        session = await factories.chat_session(self._world.pool, user_id=self._world.other_id, assistant_id=assistant)
        question = await factories.chat_message(self._world.pool, chat_session_id=session["id"], content=text)
        answer = {"role": "assistant", "content": "Noted.", "parent_message_id": question["id"]}
        head = await factories.chat_message(self._world.pool, chat_session_id=session["id"], **answer)
        query = "UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1"
        await self._world.pool.execute(query, session["id"], head["id"])

        async def ask() -> Asked:
            copy = await fork_session(self._world.agent.log, session["id"], 0, user_id, words_only=True)
            content = with_code_word(case, "And now?", self._world.site.port)
            return await self._world.submit(NextQuestion(user_id=user_id, session_id=copy.session_id, content=content))

        return ask

    async def _imported(self, case: Case, user_id: int, text: str) -> Ask:
        async def ask() -> Asked:
            now = datetime.now(UTC)
            messages = [
                NewMessage(
                    parent=None, role="user", author_kind="unknown", status="completed", content=text, creation_date=now
                ),
                NewMessage(
                    parent=0,
                    role="assistant",
                    author_kind="assistant",
                    status="completed",
                    content="Noted.",
                    creation_date=now,
                ),
            ]
            conversation = NewConversation(
                external_id=f"{case.number}-{now.timestamp()}",
                title="Earlier",
                created_at=now,
                metadata={},
                is_archived=False,
                is_pinned=False,
                messages=messages,
                head=1,
            )
            session_id = await store_import(self._world.pool, user_id, conversation)
            assert session_id is not None
            content = with_code_word(case, "And now?", self._world.site.port)
            return await self._world.submit(NextQuestion(user_id=user_id, session_id=session_id, content=content))

        return ask

    async def _caller_message(self, case: Case, user_id: int, text: str) -> Ask:
        messages = (CallerMessage("user", "Hello?"), CallerMessage("assistant", text))
        return self._world.asking(case, user_id, "And now?", caller=Caller(messages=messages))

    async def _caller_result(self, case: Case, user_id: int, text: str) -> Ask:
        results = (CallerResult("search", "{}", text),)
        return self._world.asking(case, user_id, "And now?", caller=Caller(messages=(), results=results))

    async def _evaluation(self, case: Case, user_id: int, text: str) -> Ask:
        assistant = await self._world.pool.fetchval("SELECT id FROM assistants WHERE is_default")
        content = with_code_word(case, text, self._world.site.port)

        async def ask() -> Asked:
            self._evaluated += 1
            question = Question(
                id=self._evaluated,
                evaluation_id=1,
                user_id=user_id,
                api_key_id=None,
                assistant_id=assistant,
                older_version=None,
                expected={"question": content},
            )
            return await self._world.submit(question_to_ask(question))

        return ask


def _call(tool: str, **arguments: Any) -> str:
    return f"CALL {tool} {json.dumps(arguments)}"

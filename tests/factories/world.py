"""The resources that the methods of the contract are tried on: one's own, shared and foreign ones."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from echomind_api.accounts.device_sign_ins import new_user_code
from echomind_api.auth import tokens
from echomind_api.auth.tokens import new_token
from tests.drivers.client import Client
from tests.factories import rows

NOTEBOOK_GROUP = 30_000
"""The group of every notebook."""
UNMAINTAINED = 1_000_000
"""By how much the id of a SCIM client exceeds that of an account that no client maintains."""


@dataclass
class World:
    """Makes the resources that the methods are tried on."""

    pool: asyncpg.Pool
    people: dict[str, Client]
    other: Client
    _notebooks: int = 10_000_000
    _datasets: int = 20_000_000
    _service_accounts: int = 40_000_000
    _keys: dict[tuple[int, str], Client] = field(default_factory=dict)

    async def tidy(self) -> None:
        """Deletes what calls and `webhook` have left that applies to everybody."""
        for table in ("retention_rules", "webhooks WHERE is_installation", "quotas WHERE scope <> 'user'"):
            await self.pool.execute(f"DELETE FROM {table}")

    async def with_scope(self, somebody: Client, scope: str) -> Client:
        """Returns a person with a key that has this scope alone."""
        if (known := self._keys.get((somebody.user_id, scope))) is None:
            new = tokens.new_api_key()
            values = {"prefix": tokens.prefix(new.text), "sha256": new.sha256, "scopes": [scope]}
            await rows.api_key(self.pool, user_id=somebody.user_id, name=name(), **values)
            known = self._keys[somebody.user_id, scope] = somebody.as_(new.text, somebody.user_id)
        return known

    async def connector(self, ownership: str, somebody: Client) -> int:
        """Returns a file connector: the caller's own, their group's, everyone's, somebody else's, another group's."""
        scope, scope_id = _SCOPES.get(ownership, ("user", None))
        owner = self._owner(ownership, somebody)
        if scope == "user":  # there is one for each person
            found = await self.pool.fetchval(
                "SELECT id FROM connectors WHERE user_id = $1 AND scope = 'user' AND config = '{}'"
                " AND deleted_date IS NULL",
                owner,
            )
            if found is not None:
                return int(found)
        given = {"type": "file", "scope": scope, "scope_id": scope_id, "status": "active"}
        return await _id(rows.connector(self.pool, name=name(), user_id=owner, **given))

    async def synced(self, ownership: str, somebody: Client) -> int:
        """Returns a connector that is synced, as `connector`; its folder is on no machine."""
        scope, scope_id = _SCOPES.get(ownership, ("user", None))
        given = {"type": "file", "config": {"folder": "/nowhere"}, "scope": scope, "scope_id": scope_id}
        return await _id(rows.connector(self.pool, name=name(), user_id=self._owner(ownership, somebody), **given))

    async def signed_in(self, ownership: str, somebody: Client) -> int:
        """Returns a connector that reads with an account of a person's."""
        owner = self._owner(ownership, somebody)
        given = {"type": "google_drive", "config": {"my_drive": True}, "connected_account": f"{name()}@example.org"}
        return await _id(rows.connector(self.pool, name=name(), user_id=owner, signed_in_by=owner, **given))

    async def connector_sync(self, ownership: str, somebody: Client) -> int:
        """Returns a sync that waits for a confirmation."""
        given = {"status": "waiting_for_confirmation", "kind": "full", "to_remove": 7}
        return await _id(rows.connector_sync(self.pool, connector_id=await self.synced(ownership, somebody), **given))

    async def document(self, ownership: str, somebody: Client) -> int:
        connector_id = await self.connector(ownership, somebody)
        return await _id(rows.document(self.pool, connector_id=connector_id, source_id=name(), signature="s"))

    async def api_key(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.api_key(self.pool, user_id=self._owner(ownership, somebody), name=name()))

    async def session(self, ownership: str, somebody: Client) -> int:
        owner, assistant = self._owner(ownership, somebody), await self._default_assistant()
        made = await _id(rows.chat_session(self.pool, user_id=owner, assistant_id=assistant))
        # A stream of its events needs a first event.
        await rows.run_event(self.pool, chat_session_id=made, kind="progress", text="x")
        return made

    async def device_sign_in(self, ownership: str, somebody: Client) -> str:
        """Returns the code of a sign-in that nobody has decided: both its codes are the same."""
        code = new_user_code()
        given = {
            "device_code_hash": tokens.digest(code),
            "user_code_hash": tokens.digest(code),
            "client_name": name(),
            "address": "127.0.0.1",
            "network": ownership or "here",
            "scopes": ["read"],
            "days": 1,
            "interval_seconds": 5,
            "expires_at": datetime.now(UTC) + timedelta(minutes=10),
        }
        await rows.insert(self.pool, "device_sign_ins", given)
        return code

    async def message(self, ownership: str, somebody: Client) -> int:
        session = await self.session(ownership, somebody)
        return await _id(rows.chat_message(self.pool, chat_session_id=session, role="assistant", content="x"))

    async def notebook(self, ownership: str, somebody: Client) -> int:
        """Returns a notebook in which the caller has the role that is asked for; in a foreign one they have none.

        It has one source, with the same id, one member whom nobody counts on, the owner of the installation, and one
        group, which is empty.
        """
        self._notebooks += 1
        owner = self.other.user_id if ownership != "own" else somebody.user_id
        given = {"id": self._notebooks, "user_id": owner, "title": name()}
        made = await _id(rows.insert(self.pool, "notebooks", given))
        members = {owner: "owner", 1: "viewer"} | (
            {somebody.user_id: ownership} if ownership in ("editor", "viewer") else {}
        )
        for user_id, role in members.items():
            member = {"notebook_id": made, "user_id": user_id, "role": role}
            await rows.insert(self.pool, "notebook_members", member)
        await self.pool.execute(
            "INSERT INTO groups (id, name) VALUES ($1, 'empty') ON CONFLICT DO NOTHING", NOTEBOOK_GROUP
        )
        group = {"notebook_id": made, "group_id": NOTEBOOK_GROUP, "role": "viewer"}
        await rows.insert(self.pool, "notebook_groups", group)
        document = await self.document("org", somebody)
        await self.pool.execute("UPDATE documents SET chunking_session = uuidv7() WHERE id = $1", document)
        await rows.insert(self.pool, "notebook_sources", {"id": made, "notebook_id": made, "document_id": document})
        return made

    async def notebook_answer(self, ownership: str, somebody: Client) -> int:
        """Returns a notebook, as `notebook`, with a conversation of its owner's and an answer with the same id."""
        made = await self.notebook(ownership, somebody)
        owner = self._owner(ownership, somebody)
        given = {"user_id": owner, "assistant_id": await self._default_assistant(), "notebook_id": made}
        session = await _id(rows.chat_session(self.pool, **given))
        answer = {"id": made, "role": "assistant", "content": "x", "status": "completed"}
        await rows.chat_message(self.pool, chat_session_id=session, **answer)
        return made

    async def notebook_note(self, ownership: str, somebody: Client) -> int:
        """Returns a note of a notebook's owner, with the id of the notebook, as `notebook`."""
        made = await self.notebook(ownership, somebody)
        owner = self.other.user_id if ownership != "own" else somebody.user_id
        note = {"id": made, "notebook_id": made, "user_id": owner, "title": name(), "content": "x"}
        return await _id(rows.insert(self.pool, "notebook_notes", note))

    async def citing_message(self, ownership: str, somebody: Client) -> int:
        """Returns an answer that cites a document which everybody may read."""
        message = await self.message(ownership, somebody)
        document = await self.document("org", somebody)
        await rows.citation(
            self.pool, chat_message_id=message, document_id=document, chunk_id="passage", number=1, snippet="x"
        )
        return message

    async def run(self, ownership: str, somebody: Client) -> str:
        session, assistant = await self.session(ownership, somebody), await self._default_assistant()
        made = await rows.run(self.pool, chat_session_id=session, assistant_id=assistant, input="x")
        return str(made["id"])

    async def stepped_run(self, ownership: str, somebody: Client) -> str:
        """Returns a paused run with a step."""
        made = await self.run(ownership, somebody)
        await self.pool.execute("UPDATE runs SET status = 'paused' WHERE id = $1", UUID(made))
        prompt = {"llm_input": [{"role": "user", "content": "x"}], "llm_output": {}}
        await rows.step(self.pool, run_id=UUID(made), action="call_tool", status="completed", **prompt)
        return made

    async def answered(self, ownership: str, somebody: Client) -> int:
        """Returns a question that has an answer."""
        session = await self.session(ownership, somebody)
        question = await _id(rows.chat_message(self.pool, chat_session_id=session, content="x"))
        await rows.chat_message(self.pool, chat_session_id=session, role="assistant", parent_message_id=question)
        return question

    async def session_share(self, ownership: str, somebody: Client) -> int:
        """Returns a share that is also for the owner of the installation."""
        made = await _id(rows.session_share(self.pool, chat_session_id=await self.session(ownership, somebody)))
        await rows.session_share_recipient(self.pool, session_share_id=made, user_id=1)
        return made

    async def received_share(self, ownership: str, somebody: Client) -> int:
        """Returns a share of somebody else's: with `own`, for the caller."""
        made = await _id(rows.session_share(self.pool, chat_session_id=await self.session("foreign", somebody)))
        if ownership == "own":
            await rows.session_share_recipient(self.pool, session_share_id=made, user_id=somebody.user_id)
        return made

    async def share_token(self, ownership: str, somebody: Client) -> str:
        """Returns the secret of a link that works."""
        token = new_token()
        session = await self.session(ownership, somebody)
        await rows.session_share(self.pool, chat_session_id=session, token_hash=token.sha256)
        return token.text

    async def dataset(self, ownership: str, somebody: Client) -> int:
        """Returns a dataset: the caller's own, shared with their group, with everyone, with another group, or not."""
        groups = {"group": ["matrix"], "foreign group": ["elsewhere"]}.get(ownership, [])
        given = {"groups": groups, "is_shared": ownership in ("group", "foreign group", "org")}
        self._datasets += 1
        owner = self._owner(ownership, somebody)
        return await _id(rows.evaluation_dataset(self.pool, id=self._datasets, user_id=owner, name=name(), **given))

    async def evaluation_case(self, ownership: str, somebody: Client) -> int:
        """Returns a question of a dataset, as `dataset`, with the id of the dataset."""
        dataset = await self.dataset(ownership, somebody)
        return await _id(rows.evaluation_case(self.pool, id=dataset, dataset_id=dataset))

    async def filled_dataset(self, ownership: str, somebody: Client) -> int:
        """Returns a dataset, as `dataset`, with a question."""
        made = await self.dataset(ownership, somebody)
        await rows.evaluation_case(self.pool, dataset_id=made)
        return made

    async def rated_dataset(self, ownership: str, somebody: Client) -> int:
        """Returns a dataset, as `dataset`, with the id of a conversation of the caller's, who has rated its answer."""
        made = await self.dataset(ownership, somebody)
        given = {"user_id": somebody.user_id, "assistant_id": await self._default_assistant()}
        of = {"chat_session_id": await _id(rows.chat_session(self.pool, id=made, **given))}
        question = await _id(rows.chat_message(self.pool, content="What?", **of))
        written = {"role": "assistant", "content": "x", "parent_message_id": question}
        answer = await _id(rows.chat_message(self.pool, **of, **written))
        await self.pool.execute("UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1", made, answer)
        await rows.feedback(self.pool, chat_message_id=answer, user_id=somebody.user_id)
        return made

    async def evaluation(self, ownership: str, somebody: Client) -> int:
        """Returns an evaluation that has ended, with one result."""
        owner = self._owner(ownership, somebody)
        made = await _id(rows.evaluation_run(self.pool, user_id=owner, assistant_id=await self._default_assistant()))
        await rows.evaluation_result(self.pool, evaluation_run_id=made)
        return made

    async def memory(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.memory(self.pool, user_id=self._owner(ownership, somebody), content=name()))

    async def running_session(self, ownership: str, somebody: Client) -> int:
        """Returns a session whose run waits for a worker."""
        return await self._session_of_run(await self.run(ownership, somebody), "queued")

    async def paused_session(self, ownership: str, somebody: Client) -> int:
        """Returns a session whose run is paused."""
        return await self._session_of_run(await self.run(ownership, somebody), "paused")

    async def _session_of_run(self, run: str, status: str) -> int:
        moved = "UPDATE runs SET status = $2 WHERE id = $1::text::uuid RETURNING chat_session_id"
        found: int = await self.pool.fetchval(moved, run, status)
        return found

    async def checkpoint(self, ownership: str, somebody: Client) -> int:
        session = await self.session(ownership, somebody)
        return await _id(rows.checkpoint(self.pool, chat_session_id=session, session_state={}))

    async def todo(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.todo(self.pool, chat_session_id=await self.session(ownership, somebody)))

    async def user(self, ownership: str, somebody: Client) -> int:
        return self._owner(ownership, somebody)

    async def unneeded_user(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.user(self.pool, user_name=(made := name()), email=f"{made}@example.org"))

    async def web_session(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.token(self.pool, "web_sessions", user_id=self._owner(ownership, somebody)))

    async def group(self, ownership: str, somebody: Client) -> int:
        """Returns a group: without members, with the owner of the installation, or one that the caller is admin of."""
        made = await _id(rows.insert(self.pool, "groups", {"name": name()}))
        for user_id in {"with a member": {1}, "administered": {1, somebody.user_id}}.get(ownership, ()):
            await rows.insert(self.pool, "group_members", {"group_id": made, "user_id": user_id})
        if ownership == "administered":
            await rows.insert(self.pool, "group_admins", {"group_id": made, "user_id": somebody.user_id})
        return made

    async def service_account(self, ownership: str, somebody: Client) -> int:
        """Returns a service account of a group, as `group`; the account, its owner and its key have the same id."""
        self._service_accounts += 1
        given = {"id": self._service_accounts}
        owner = await rows.insert(self.pool, "groups", given | {"name": name()})
        if ownership == "administered":
            admin = {"group_id": owner["id"], "user_id": somebody.user_id}
            await rows.insert(self.pool, "group_members", admin)
            await rows.insert(self.pool, "group_admins", admin)
        await rows.service_account(self.pool, **given, owner_group_id=owner["id"], groups=[owner["name"]])
        await rows.api_key(self.pool, **given, user_id=given["id"], name=name())
        return given["id"]

    async def identity_provider(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.identity_provider(self.pool))

    async def named_identity_provider(self, ownership: str, somebody: Client) -> str:
        """Returns the name of a provider, which does not answer."""
        query = "SELECT name FROM identity_providers WHERE id = $1"
        found: str = await self.pool.fetchval(query, await self.identity_provider(ownership, somebody))
        return found

    async def scim_client(self, ownership: str, somebody: Client) -> int:
        """Returns a client whose token has the same id; that of an account less `UNMAINTAINED`."""
        client = UNMAINTAINED + await self.unneeded_user(ownership, somebody)
        await rows.scim_client(self.pool, id=client, name=f"c{name()}")
        await rows.scim_token(self.pool, id=client, client_id=client)
        return client

    async def invitation(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.token(self.pool, "invitations", invited_by=somebody.user_id))

    async def llm(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.llm(self.pool, name=name(), endpoint="http://127.0.0.1:1"))

    async def assistant(self, ownership: str, somebody: Client) -> int:
        """Returns an assistant: for everyone, hidden, for the caller's group, for another one."""
        groups = {"group": ["matrix"], "foreign group": ["elsewhere"]}.get(ownership, [])
        return await _id(rows.assistant(self.pool, name=name(), is_visible=ownership != "hidden", groups=groups))

    async def versioned_assistant(self, ownership: str, somebody: Client) -> int:
        """Returns an assistant with a version 1."""
        made = await rows.assistant(self.pool, name=name(), is_visible=ownership != "hidden", version=1)
        snapshot = {"name": made["name"], "is_visible": made["is_visible"]}
        version = {"assistant_id": made["id"], "version": 1, "config": snapshot}
        await rows.insert(self.pool, "assistant_versions", version)
        return int(made["id"])

    async def embedding_model(self, ownership: str, somebody: Client) -> int:
        found: int = await self.pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
        return found

    async def reranker(self, ownership: str, somebody: Client) -> int:
        return await _id(rows.reranker(self.pool, name=name()))

    async def knowledge(self, ownership: str, somebody: Client) -> int:
        """Returns an entity: the caller's own, everyone's, somebody else's."""
        level = "organization" if ownership == "org" else "individual"
        return await _id(rows.knowledge(self.pool, user_id=self._owner(ownership, somebody), level=level))

    async def proposal(self, ownership: str, somebody: Client) -> int:
        """Returns an entity that is proposed, as `knowledge`."""
        given = {"review_status": "proposed", "proposed_level": "organization"}
        return await _id(rows.knowledge(self.pool, user_id=self._owner(ownership, somebody), **given))

    async def legal_hold(self, ownership: str, somebody: Client) -> int:
        """Returns a hold on a person of their own."""
        given = {"user_id": (await rows.user(self.pool))["id"], "reason": "Case 7"}
        return await _id(rows.insert(self.pool, "legal_holds", given))

    async def quota(self, ownership: str, somebody: Client) -> int:
        """Returns a quota of a person of their own, which binds nobody else."""
        person = await _id(rows.user(self.pool))
        given = {"scope": "user", "user_id": person, "period": "day", "max_tokens": 5}
        return await _id(rows.insert(self.pool, "quotas", given))

    async def webhook(self, ownership: str, somebody: Client) -> int:
        """Returns a webhook: the caller's own, another person's, or with `org` the installation's."""
        owner = self._owner(ownership, somebody)
        return await _id(rows.webhook(self.pool, user_id=owner, is_installation=ownership == "org"))

    async def webhook_delivery(self, ownership: str, somebody: Client) -> int:
        """Returns a delivery to a webhook, as `webhook`."""
        return await _id(rows.webhook_delivery(self.pool, webhook_id=await self.webhook(ownership, somebody)))

    async def dead_letter(self, ownership: str, somebody: Client) -> int:
        job = {"kind": "no.worker", "unique_key": f"no.worker:{name()}", "subject_id": "1", "status": "failed"}
        return await _id(rows.insert(self.pool, "background_jobs", job))

    async def nothing(self, ownership: str, somebody: Client) -> int:
        return 0

    def _owner(self, ownership: str, somebody: Client) -> int:
        return somebody.user_id if ownership == "own" else self.other.user_id

    async def _default_assistant(self) -> int:
        found: int = await self.pool.fetchval("SELECT id FROM assistants WHERE is_default")
        return found


_SCOPES = {"group": ("group", "matrix"), "foreign group": ("group", "elsewhere"), "org": ("org", None)}
Make = Callable[[World, str, Client], Awaitable[Any]]


def name() -> str:
    return uuid4().hex


async def _id(made: Awaitable[asyncpg.Record]) -> int:
    found: int = (await made)["id"]
    return found

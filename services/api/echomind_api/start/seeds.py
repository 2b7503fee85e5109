"""The first rows of a new database: an owner, the built-in model, an index, an assistant; each only if missing."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnExpressionArgument, any_, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.assistants.versions import record_version
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.db.models import Assistant, Base, EmbeddingModel, Llm, User
from echomind_lib.embeddings.model_ids import MINILM, MULTILINGUAL_E5
from echomind_lib.retrieval.sparse import ENCODER_ID

LOCK: Final = 0x73656564
"""Advisory lock of the rows created at start, so that only one of several replicas creates them."""

BUILT_IN_NAME: Final = "Built-in (quotes your documents)"
"""Name of the model that needs no server; the web UI translates it, like the texts of the assistant."""

ASSISTANT_NAME: Final = "EchoMind"
ASSISTANT_DESCRIPTION: Final = "Answers from your documents, with sources."
ASSISTANT_PROMPT: Final = """\
You are EchoMind, an assistant that answers from the documents of the organization it works for. Answer briefly, with \
the answer first. Give figures, names and conditions exactly. When sources contradict each other, name the \
contradiction and both sources."""
"""Its identity and tone; the instructions for sources are those of every assistant
(`echomind_agent.prompts.instructions`)."""
ASSISTANT_STARTERS: Final = [
    "How do I add my documents?",
    "Which kinds of files can I add?",
    "How do I connect a language model?",
]
"""Answered by the guide, with citations, by the built-in model too."""

MULTILINGUAL_NAME: Final = "Multilingual E5 small (many languages)"
"""Name of the second built-in embedding model, which is not active at first."""


@dataclass(frozen=True, slots=True)
class Index:
    """The index that a new installation begins with."""

    model_id: str = MINILM
    model_name: str = "MiniLM L6 v2 (English)"
    dimension: int = 384
    sparse_encoder: str = ENCODER_ID
    chunker: str = "sections-200"


async def seed(database: Database, index: Index | None = None) -> Principal:
    """Creates the missing rows.

    Returns:
        The owner: the oldest active account with the role superadmin.

    Raises:
        RuntimeError: There are accounts, and none of them is an active superadmin.
    """
    index = index or Index()
    async with database.session() as session:
        await session.execute(select(func.pg_advisory_xact_lock(LOCK)))
        if not await _has(session, User):
            roles = ["user", "admin", "superadmin"]
            session.add(User(user_name="owner", email="owner@localhost", first_name="Owner", roles=roles))
        if not await _has(session, Llm, Llm.provider == "extractive"):
            is_default = not await _has(session, Llm, Llm.is_default, Llm.deleted_date.is_(None))
            name, provider = BUILT_IN_NAME, "extractive"
            session.add(Llm(name=name, provider=provider, model_id=provider, is_default=is_default))
        if not await _has(session, EmbeddingModel):
            session.add(
                EmbeddingModel(
                    model_id=index.model_id,
                    model_name=index.model_name,
                    model_dimension=index.dimension,
                    is_active=True,
                    sparse_encoder=index.sparse_encoder,
                    chunker=index.chunker,
                )
            )
        if not await _has(session, EmbeddingModel, EmbeddingModel.model_id == MULTILINGUAL_E5):
            session.add(
                EmbeddingModel(
                    model_id=MULTILINGUAL_E5,
                    model_name=MULTILINGUAL_NAME,
                    model_dimension=384,
                    sparse_encoder=index.sparse_encoder,
                    chunker=index.chunker,
                )
            )
        if not await _has(session, Assistant):
            assistant = Assistant(
                name=ASSISTANT_NAME,
                description=ASSISTANT_DESCRIPTION,
                system_prompt=ASSISTANT_PROMPT,
                starter_messages=ASSISTANT_STARTERS,
                is_default=True,
            )
            session.add(assistant)
            await session.flush()
            await record_version(session, assistant)
        superadmins = select(User).where(any_(User.roles) == "superadmin", User.is_active)
        owner = await session.scalar(superadmins.order_by(User.id).limit(1))
        if owner is None:
            raise RuntimeError("No active account has the role superadmin; give it to one in the table users.")
        return Principal(owner.id, frozenset(owner.roles), frozenset(owner.groups))


async def _has(session: AsyncSession, table: type[Base], *conditions: ColumnExpressionArgument[bool]) -> bool:
    return bool(await session.scalar(select(exists(select(table).where(*conditions)))))

"""The first rows of a new database: an owner, the built-in model, an index, an assistant; each only if missing."""

from dataclasses import dataclass
from datetime import UTC, datetime
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
            session.add(_embedding_model(index.model_id, index.model_name, index, is_active=True))
            await session.flush()
        for model_id, name in ((index.model_id, index.model_name), (MULTILINGUAL_E5, MULTILINGUAL_NAME)):
            await _seed_encoder(session, model_id, name, index)
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
            raise RuntimeError(
                "No active account has the role superadmin: `echomind users recover NAME --superadmin`, with the "
                "settings of this service, gives it to one and prints a link that signs in."
            )
        return Principal(owner.id, frozenset(owner.roles), frozenset(owner.groups))


def _embedding_model(model_id: str, name: str, index: Index, *, is_active: bool = False) -> EmbeddingModel:
    return EmbeddingModel(
        model_id=model_id,
        model_name=name,
        model_dimension=index.dimension,
        is_active=is_active,
        sparse_encoder=index.sparse_encoder,
        chunker=index.chunker,
    )


async def _seed_encoder(session: AsyncSession, model_id: str, name: str, index: Index) -> None:
    """Lets a built-in model be activated with the encoder of words of this version.

    An index is searched with the encoder that it was built with, so one that exists keeps its row.
    """
    of_model = (EmbeddingModel.model_id == model_id, EmbeddingModel.deleted_date.is_(None))
    is_idle = (EmbeddingModel.is_active.is_(False), EmbeddingModel.index_state.is_(None))
    earlier = EmbeddingModel.sparse_encoder != index.sparse_encoder
    rows = (await session.scalars(select(EmbeddingModel).where(*of_model, earlier, *is_idle))).all()
    if await _has(session, EmbeddingModel, *of_model, EmbeddingModel.sparse_encoder == index.sparse_encoder):
        for row in rows:
            row.deleted_date = datetime.now(UTC)
    elif rows:
        rows[0].sparse_encoder = index.sparse_encoder
    else:
        has_index = await _has(session, EmbeddingModel, *of_model)
        session.add(_embedding_model(model_id, f"{name}, {index.sparse_encoder}" if has_index else name, index))


async def _has(session: AsyncSession, table: type[Base], *conditions: ColumnExpressionArgument[bool]) -> bool:
    return bool(await session.scalar(select(exists(select(table).where(*conditions)))))

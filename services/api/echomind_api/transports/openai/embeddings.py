"""Embeddings by the active model, as searches use it for passages."""

import base64
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, Literal

import asyncpg
from pydantic import Field
from sqlalchemy import Integer, bindparam, select

from echomind_api.transports.openai.chat_request import Body
from echomind_api.transports.openai.errors import OpenAiError, quota_exceeded
from echomind_lib.access import Principal
from echomind_lib.conversations import usage
from echomind_lib.db.charges import charged
from echomind_lib.db.statements import Query
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.indexes import active_index
from echomind_lib.llms import Usage
from echomind_lib.quotas import charging
from echomind_lib.text import storable

_TEXTS: Final = 2_048
_CHARACTERS: Final = 1_000_000
"""Maximum length of all texts of a request."""


class EmbeddingRequest(Body):
    """The request of embeddings."""

    model: str = Field(min_length=1, max_length=300)
    input: str | list[str] | list[int] | list[list[int]]
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = None

    @property
    def texts(self) -> Sequence[str]:
        """Returns the texts.

        Raises:
            OpenAiError: There are none, too many, or tokens instead.
        """
        given = [self.input] if isinstance(self.input, str) else self.input
        texts = [storable(each) for each in given if isinstance(each, str)]
        if len(texts) < len(given):
            raise OpenAiError("Tokens of another model mean nothing here: send texts.", param="input")
        if not texts or not all(texts) or len(texts) > _TEXTS:
            raise OpenAiError(f"The input must be 1 to {_TEXTS} texts that are not empty.", param="input")
        if sum(map(len, texts)) > _CHARACTERS:
            raise OpenAiError(f"The texts have more than {_CHARACTERS} characters: send fewer.", param="input")
        return texts


_IS_USED_UP: Final = Query(
    select(charged(bindparam("user_id", type_=Integer), api_key_id=bindparam("api_key_id", type_=Integer))), bool
)


async def embed(
    pool: asyncpg.Pool, client: EmbeddingClient, request: EmbeddingRequest, asker: Principal
) -> dict[str, Any]:
    """Returns the vectors of texts, and charges their tokens to the quotas of whoever asks and of their key.

    Args:
        pool: The database, which has the active model.
        client: The embedding client.
        request: The texts.
        asker: Whoever asks.

    Raises:
        OpenAiError: The model is not the active one, it has other dimensions, or a quota is used up.
        DependencyUnavailableError: The embedding process does not respond.
    """
    texts, index = request.texts, await active_index(pool)
    model_id = index.model_id if index else ""
    active = await client.get_model(model_id)
    if request.model not in (active.model_id, "active"):
        raise OpenAiError(
            f"The active embedding model is {active.model_id!r}: name that, or `active`.",
            status=404,
            code="model_not_found",
            param="model",
        )
    if request.dimensions not in (None, active.dimension):
        raise OpenAiError(f"{active.model_id} has {active.dimension} dimensions.", param="dimensions")
    user_id, key_id = asker.user_id, asker.api_key_id
    if await _IS_USED_UP.fetch_one(pool, user_id=user_id, api_key_id=key_id):
        raise quota_exceeded(await charging.renewal_of(pool, user_id, key_id))
    vectors = await client.embed_passages(texts, model_id)
    tokens = sum(max(1, len(text) // 4) for text in texts)
    await usage.count(pool, user_id, "embedding", Usage(tokens, 0), Decimal(0), api_key_id=key_id)
    is_base64 = request.encoding_format == "base64"
    return {
        "object": "list",
        "model": active.model_id,
        "data": [
            {
                "object": "embedding",
                "index": number,
                "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()
                if is_base64
                else vector.astype(float).tolist(),
            }
            for number, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }

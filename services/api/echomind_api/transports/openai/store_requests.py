"""Requests of vector stores. What has no counterpart is refused if it would change what is stored or found."""

from typing import Final

from pydantic import Field

from echomind_api.transports.openai.chat_request import Body
from echomind_api.transports.openai.errors import OpenAiError

MAX_FILES: Final = 100
"""Files of a request."""
_QUERIES: Final = 10
_QUERY_CHARACTERS: Final = 4_000
_NO_COUNTERPART: Final = {
    "attributes": "files have no attributes here",
    "description": "vector stores have no description here",
    "expires_after": "nothing expires here",
    "filters": "files have no attributes here to filter by",
    "metadata": "vector stores have no metadata here",
}


class StoreRequest(Body):
    """A request that has nothing without a counterpart."""

    def check(self) -> None:
        """Returns if all fields have a counterpart.

        Raises:
            OpenAiError: One has none.
        """
        for name, reason in _NO_COUNTERPART.items():
            if (self.model_extra or {}).get(name):
                raise OpenAiError(f"{name}: {reason}, leave it out.", param=name)


class NewStore(StoreRequest):
    """A vector store to create."""

    name: str = Field(default="", max_length=255)
    file_ids: list[str] = Field(default_factory=list, max_length=MAX_FILES)


class ChangedStore(StoreRequest):
    """A change of a vector store."""

    name: str | None = Field(default=None, min_length=1, max_length=255)


class AddedFile(StoreRequest):
    """A file to add to a vector store."""

    file_id: str


class RankingOptions(Body):
    """How passages are ranked; the ranking of EchoMind holds."""

    score_threshold: float = Field(default=0.0, ge=0, le=1)


class StoreSearch(StoreRequest):
    """A search in a vector store."""

    query: str | list[str]
    max_num_results: int = Field(default=10, ge=1, le=50)
    ranking_options: RankingOptions = Field(default_factory=RankingOptions)

    @property
    def queries(self) -> list[str]:
        """Returns the queries.

        Raises:
            OpenAiError: There are none, too many, or one is empty or too long.
        """
        given = [self.query] if isinstance(self.query, str) else self.query
        queries = [each.strip() for each in given]
        if not 1 <= len(queries) <= _QUERIES or not all(1 <= len(each) <= _QUERY_CHARACTERS for each in queries):
            raise OpenAiError(
                f"query: must be 1 to {_QUERIES} texts of 1 to {_QUERY_CHARACTERS} characters.", param="query"
            )
        return queries

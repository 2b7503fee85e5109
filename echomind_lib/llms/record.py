"""A stored chat model."""

from dataclasses import dataclass, field
from datetime import datetime

from echomind_lib.db.words import LlmProvider


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmRecord:
    """The columns of a row of `llms` that the services use."""

    id: int
    provider: LlmProvider
    model_id: str
    """The model's name at the server."""
    endpoint: str | None
    """Base URL; None or empty for the provider's default."""
    api_key: str | None = field(repr=False)
    """Encrypted; None for servers without keys."""
    max_tokens: int | None
    """Maximum tokens of an answer; None for the provider's default."""
    context_tokens: int | None
    """Tokens of prompt and completion together; None if unknown."""
    temperature: float | None
    input_price: float | None
    """US dollars for a million tokens of prompts; None (like `output_price` then) to use the price list."""
    output_price: float | None
    last_update: datetime | None
    """With `id`, identifies a version of the row."""

    @property
    def is_extractive(self) -> bool:
        """Returns whether it is the built-in model, which quotes instead of generating."""
        return self.provider == "extractive"

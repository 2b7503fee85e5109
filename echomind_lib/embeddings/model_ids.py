"""Ids of embedders and the languages of questions, usable without loading a model."""

from typing import Final

MINILM: Final = "all-MiniLM-L6-v2-int8"
"""The English one, of 384 dimensions."""
MULTILINGUAL_E5: Final = "multilingual-e5-small-int8"
"""The one for many languages, of 384 dimensions."""
ENDPOINT: Final = "endpoint/"
"""How the ids of embedders of servers begin; the id of their row follows."""
MANY_LANGUAGES: Final[tuple[str, ...]] = (
    *("ar", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga", "he", "hi", "hu", "hy", "id"),
    *("it", "ja", "ko", "lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "th", "tr", "uk", "vi", "zh"),
)
"""Those that questions are identified as, for models of many languages."""


def is_endpoint(model_id: str) -> bool:
    """Returns whether an id is that of an embedder of a server."""
    return model_id.startswith(ENDPOINT)

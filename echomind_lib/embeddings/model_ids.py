"""Ids of the built-in embedders, usable without loading them."""

from typing import Final

MINILM: Final = "all-MiniLM-L6-v2-int8"
"""The English one, of 384 dimensions."""
MULTILINGUAL_E5: Final = "multilingual-e5-small-int8"
"""The one for many languages, of 384 dimensions."""
BUILT_IN: Final = frozenset({MINILM, MULTILINGUAL_E5})

"""The tokenizer of the English embedder, usable for counting tokens without loading the model."""

import hashlib
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer

DATA_DIR = Path(__file__).parent / "data"
_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@cache
def minilm_tokenizer() -> Tokenizer:
    """Returns the tokenizer of all-MiniLM-L6-v2, without padding or truncation; offsets are code points. Loaded once.

    Raises:
        ValueError: The file is not the expected one.
    """
    path = DATA_DIR / "tokenizer.json"
    check_file(path, _SHA256)
    tokenizer: Tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()  # the file asks for 128 tokens exactly
    tokenizer.no_truncation()
    return tokenizer


def check_file(path: Path, sha256: str) -> None:
    """Raises an error unless a file is the one that this version was tested with.

    Raises:
        ValueError: The file differs.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ValueError(f"{path} has SHA-256 {found}, expected is {sha256}: reinstall its package.")

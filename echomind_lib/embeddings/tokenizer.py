"""The tokenizer of the English embedder, for those who count tokens without loading the model."""

import hashlib
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer

DATA_DIR = Path(__file__).parent / "data"
_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@cache
def minilm_tokenizer() -> Tokenizer:
    """The tokenizer of all-MiniLM-L6-v2, neither padding nor cutting; its offsets are code points. It is loaded once.

    Raises:
        ValueError: the file is not the expected one.
    """
    path = DATA_DIR / "tokenizer.json"
    check_file(path, _SHA256)
    tokenizer: Tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()  # the file asks for 128 tokens exactly
    tokenizer.no_truncation()
    return tokenizer


def check_file(path: Path, sha256: str) -> None:
    """Raises an error if a file is not the one that this version was tested with.

    Raises:
        ValueError: it is another one.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ValueError(f"{path} has SHA-256 {found}, expected is {sha256}: reinstall its package.")

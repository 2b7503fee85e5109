"""Patterns of LIKE."""


def pattern_of(word: str) -> str:
    """Returns the pattern of texts that contain a word, whose own signs mean themselves."""
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"

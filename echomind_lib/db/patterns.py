"""LIKE patterns."""


def pattern_of(word: str) -> str:
    """Returns the LIKE pattern for texts that contain a word, with special characters escaped."""
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"

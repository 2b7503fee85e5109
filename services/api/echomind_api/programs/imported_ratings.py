"""Ratings of answers in the exports of other programs. Every value may have another type than the program writes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from echomind_lib.text import normalized

_LIBRECHAT: Final[Mapping[str, bool]] = {"thumbsUp": True, "thumbsDown": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRating:
    """A rating of an answer."""

    is_positive: bool | None
    """None if it is neither helpful nor unhelpful, such as "mixed"."""
    text: str
    """The reason; may be empty."""
    by: str = ""
    """User name or e-mail address of who gave it; empty if the file does not say."""

    def is_of(self, names: Iterable[str]) -> bool:
        """Returns whether a person with these names may have given it; any person if nobody is named."""
        return not self.by or self.by.casefold() in {name.casefold() for name in names}


def listed_rating(entry: Mapping[str, Any]) -> ImportedRating | None:
    """Returns the rating of a message that a client has read of a table: `{"is_positive", "text", "by"}`."""
    given = _object(entry.get("rating"))
    is_positive = given.get("is_positive")
    if not given:
        return None
    return ImportedRating(
        is_positive=is_positive if isinstance(is_positive, bool) else None,
        text=_text(given.get("text")),
        by=_text(given.get("by")).strip(),
    )


def open_webui_rating(entry: Mapping[str, Any]) -> ImportedRating | None:
    """Returns the rating of a message of Open WebUI: `annotation` with a `rating` of 1 or -1, also as text."""
    given = _object(entry.get("annotation"))
    rating = given.get("rating")
    rating = {"1": 1, "-1": -1}.get(rating, rating) if isinstance(rating, str) else rating
    if isinstance(rating, bool) or not isinstance(rating, int | float):
        return None
    reasons = [text for name in ("reason", "comment") if (text := _text(given.get(name)).strip())]
    return ImportedRating(is_positive=rating > 0 if rating else None, text="\n\n".join(reasons))


def librechat_rating(entry: Mapping[str, Any]) -> ImportedRating | None:
    """Returns the rating of a message of LibreChat: `feedback` with `thumbsUp` or `thumbsDown`, and a tag."""
    given = _object(entry.get("feedback"))
    rating, tag = given.get("rating"), given.get("tag")
    if not isinstance(rating, str) or not rating:
        return None
    key = _object(tag).get("key") if isinstance(tag, dict) else tag
    reasons = [text for value in (key, given.get("text")) if (text := _text(value).strip())]
    return ImportedRating(is_positive=_LIBRECHAT.get(rating), text="\n\n".join(reasons))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return normalized(value) if isinstance(value, str) else ""

"""Subtitles (SubRip, WebVTT) as text: what is said, without numbers, times and styles."""

import html
import re

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{3}"
_TIMES = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}.*$", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]*)>")
_TAG = re.compile(r"</?[a-zA-Z0-9][^>\n]*>|\{\\[^}\n]*\}")
_PARAGRAPH = 5
"""Cues of a paragraph: single ones are pieces of sentences."""
_LONGEST = 5000
"""Maximum length of a cue."""
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")


def subtitles_text(text: str) -> str:
    """Returns what is said, in paragraphs; empty if there are no subtitles.

    Args:
        text: The file, with line feeds.
    """
    paragraphs: list[list[str]] = [[]]
    speaker = ""
    for cue in _cues(text):
        voice = _VOICE.search(cue)
        words = " ".join(html.unescape(_TAG.sub("", _VOICE.sub("", cue))).split())
        if not words:
            continue
        is_other = voice is not None and voice[1] != speaker
        said = paragraphs[-1]
        if said and (is_other or (len(said) >= _PARAGRAPH and _SENTENCE_END.search(said[-1]))):
            paragraphs.append([])
        if is_other and voice is not None:
            speaker = voice[1]
            words = f"{speaker}: {words}"
        paragraphs[-1].append(words)
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs if paragraph)


def _cues(text: str) -> list[str]:
    """Returns the text of each cue: what follows its times, up to an empty line."""
    ends = [match.end() for match in _TIMES.finditer(text)]
    return [text[end : end + _LONGEST].partition("\n\n")[0] for end in ends]

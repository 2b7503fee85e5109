"""Sub-runs from the parent's side: their inherited context, and their results."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from echomind_agent.evidence.citations import without_markers
from echomind_agent.evidence.sources import Source, Sources, found_event, render
from echomind_agent.state.call import Call
from echomind_agent.text.delimiting import harmless
from echomind_agent.text.sentences import MARKER, numbers_of, sentences
from echomind_agent.text.shortening import one_line, shorten
from echomind_agent.text.speakers import NAMES, Spoken
from echomind_agent.toolset.registry import ToolResult, parameters_record
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.retrieval.rendered import parse_sources
from echomind_lib.runs.sub_runs import EndedSubRun

INHERITED_TOKENS: Final = 1_000
"""Maximum tokens of a sub-run's inherited context."""
SUMMARY_CHARACTERS: Final = 8_000
"""Maximum length of a sub-run's answer in its parent's prompt."""
_MESSAGE_CHARACTERS = 1_200
_SUMMARY_SHARE = 2
"""The context before the messages may use this fraction (1/n) of the inherited tokens,"""
_DONE_SHARE = 4
"""and the lines about calls this one."""
_PARAMETERS_CHARACTERS = 160
_TITLES = 5
"""Maximum number of documents named in a call's line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneCall:
    """A call as shown to sub-runs: without its result, which may contain data not meant for them."""

    tool: str
    parameters: str
    """The parameters on one line."""
    succeeded: bool
    titles: tuple[str, ...]
    """Titles of the documents that it found."""

    @classmethod
    def of(cls, call: Call) -> "DoneCall":
        """Returns the record of a settled call."""
        given = ", ".join(f"{key}: {value}" for key, value in parameters_record(call.request.arguments).items())
        titles = dict.fromkeys(source.title for source in parse_sources(call.reply or ""))
        return cls(
            tool=call.request.name,
            parameters=one_line(given, _PARAMETERS_CHARACTERS),
            succeeded=call.status == "completed",
            titles=tuple(titles)[:_TITLES],
        )

    def line(self) -> str:
        """Returns the line for the prompt."""
        outcome = f"found {', '.join(self.titles)}" if self.titles else "done" if self.succeeded else "failed"
        return f"- {self.tool}({self.parameters}): {outcome}"


def whole_context(conversation: Sequence[Spoken], done: Sequence[DoneCall], known: str = "") -> str:
    """Returns the full context of a conversation for a sub-run: earlier context, messages, and calls.

    Instructions and tool results are omitted.

    Args:
        conversation: What was said before the run's first step, question last (`dialogue.read_dialogue`).
        done: The run's calls so far.
        known: The summary of the messages before those, or the run's own inherited context; may be empty.
    """
    lines = [f"{NAMES[by]}: {' '.join(without_markers(text).split())}" for by, text in conversation]
    return _context(known, lines, [call.line() for call in done])


def inherited_context(conversation: Sequence[Spoken], done: Sequence[DoneCall], known: str = "") -> str:
    """Returns the context shortened by rules to `INHERITED_TOKENS`.

    It is complete if it fits. Otherwise the oldest messages and calls are omitted first, and long messages are
    truncated at a sentence.
    """
    whole = whole_context(conversation, done, known)
    if count_tokens(whole) <= INHERITED_TOKENS:
        return whole
    calls = _newest([call.line() for call in done], INHERITED_TOKENS // _DONE_SHARE)
    earlier = shorten(known, INHERITED_TOKENS // _SUMMARY_SHARE, count_tokens)
    room = INHERITED_TOKENS - count_tokens("\n".join(calls)) - count_tokens(earlier)
    lines = _newest([f"{NAMES[by]}: {_brief(text)}" for by, text in conversation], room)
    return _context(earlier, lines, calls)


def _context(earlier: str, lines: Sequence[str], calls: Sequence[str]) -> str:
    parts = ["What was said before, in short:", earlier, ""] if earlier else []
    parts += ["The conversation so far, newest last:", *lines]
    if calls:
        parts += ["Done so far:", *calls]
    return "\n".join(parts)


def _newest(lines: Sequence[str], room: int) -> list[str]:
    """Returns the last lines that fit into `room` tokens; at least the last one."""
    kept: list[str] = []
    for line in reversed(lines):
        room -= count_tokens(line)
        if room < 0 and kept:
            break
        kept.insert(0, line)
    return kept


def _brief(text: str) -> str:
    """Returns a message on one line without citations: in full, or its first sentences."""
    text = without_markers(text)
    if len(text) > _MESSAGE_CHARACTERS:
        ends = [span.end for span in sentences(text) if span.end <= _MESSAGE_CHARACTERS]
        text = f"{text[: ends[-1] if ends else _MESSAGE_CHARACTERS]} […]"
    return " ".join(text.split())


def summary(text: str) -> str:
    """Returns the answer of a run for its parent: in full, or truncated at a paragraph or sentence with a note."""
    if len(text) <= SUMMARY_CHARACTERS:
        return text
    cut = text[:SUMMARY_CHARACTERS]
    end = max(cut.rfind("\n\n"), cut.rfind(". ") + 1)
    kept = cut[: end if end > SUMMARY_CHARACTERS // 2 else SUMMARY_CHARACTERS]
    return f"{kept.rstrip()}\n\n[Cut here: {len(text) - len(kept)} more characters.]"


def final_output(text: str, sources: Sources) -> dict[str, Any]:
    """Returns the output of a run for its parent: its answer and the cited sources, which the parent may cite."""
    cited = {number for marker in MARKER.finditer(text) for number in numbers_of(marker["numbers"])}
    found = [source for source in sources if source.number in cited]
    return {
        "text": text,
        "sources": [
            {
                "number": source.number,
                "document_id": source.document_id,
                "title": source.title,
                "chunk_id": source.chunk_id,
                "chunking_session": source.chunking_session,
                "text": source.text,
                "start": source.start,
                "page": source.page,
                "score": source.score,
                "heading": list(source.heading),
                "url": source.url,
            }
            for source in found
        ],
    }


def sub_run_result(run: EndedSubRun, sources: Sources) -> tuple[ToolResult, str]:
    """Returns the result of an ended sub-run for its parent's tool call.

    Its sources get numbers in the parent, which replace those in its text.

    Returns:
        The result, and the error; empty for none.
    """
    if run.status != "completed":
        who = "member" if run.kind == "member" else "sub-agent"
        reason = (run.error or {}).get("message") or f"The {who} was {run.status}."
        return ToolResult(""), reason
    text, found = with_own_numbers(run.result_summary or "", run, sources)
    if not found:
        return ToolResult(harmless(text)), ""
    event = SessionEvent(
        kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
        text=f"Took over {len(found)} source{'s' if len(found) > 1 else ''} of a "
        f"{'member' if run.kind == 'member' else 'sub-agent'}",
        sources=found_event("", found),
    )
    return ToolResult(f"{harmless(text)}\n\n{render(found)}", [event]), ""


def with_own_numbers(text: str, run: EndedSubRun, sources: Sources) -> tuple[str, list[Source]]:
    """Returns a sub-run's text with this run's numbers of its sources, and these sources.

    Citations without a source in the sub-run are removed.
    """
    given = msgspec.convert((run.final_output or {}).get("sources", []), list[Source])
    found = sources.adopt(given)
    numbers = {old.number: new.number for old, new in zip(given, found, strict=True)}

    def renumbered(marker: re.Match[str]) -> str:
        known = [str(numbers[number]) for number in numbers_of(marker["numbers"]) if number in numbers]
        return f"[{', '.join(known)}]" if known else ""

    return MARKER.sub(renumbered, text), found

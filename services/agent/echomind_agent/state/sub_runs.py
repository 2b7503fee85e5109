"""Sub-agents, from the side of the run that starts them: what they inherit, and what comes back."""

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from echomind_agent.evidence.citations import without_markers
from echomind_agent.evidence.sources import Source, Sources, found_event, render
from echomind_agent.text.delimiting import harmless
from echomind_agent.text.shortening import shorten
from echomind_agent.toolset.registry import ToolResult
from echomind_lib.llms import Message
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.sub_runs import EndedSubRun

INHERITED_TOKENS: Final = 2_000
"""Most tokens of the conversation that a sub-agent gets."""
SUMMARY_CHARACTERS: Final = 8_000
"""Most characters that a sub-agent's answer takes in its parent's prompt."""
_MESSAGE_CHARACTERS = 1_200
_SUMMARY_SHARE = 2
"""What was said before the messages may take one part in so many of the inherited tokens."""
_MARKER = re.compile(r"\[(\d{1,4})\]")


def inherited_context(conversation: Sequence[Message], digests: Sequence[str], known: str = "") -> str:
    """Returns a short form of a conversation for a sub-agent: what was before, its newest messages, and what was done.

    Args:
        conversation: The messages before the run's first step, question last; the system's are left out.
        digests: A line for each of the run's steps.
        known: The summary of the messages before those, or what a sub-agent inherited itself; may be empty.

    Returns:
        Text of at most about `INHERITED_TOKENS` tokens; the oldest messages are left out first.
    """
    done = "\n".join(f"- {line}" for line in digests)
    earlier = shorten(known, INHERITED_TOKENS // _SUMMARY_SHARE, count_tokens)
    room = INHERITED_TOKENS - count_tokens(done) - count_tokens(earlier)
    kept: list[str] = []
    for message in reversed([message for message in conversation if message.role in ("user", "assistant")]):
        text = " ".join(without_markers(message.content).split())
        if len(text) > _MESSAGE_CHARACTERS:
            text = text[: _MESSAGE_CHARACTERS - 1] + "…"
        line = f"{'Person' if message.role == 'user' else 'Assistant'}: {text}"
        room -= count_tokens(line)
        if room < 0 and kept:
            break
        kept.append(line)
    parts = ["What was said before, in short:", earlier, ""] if earlier else []
    parts += ["The conversation so far, newest last:", *reversed(kept)]
    if done:
        parts += ["Done so far:", done]
    return "\n".join(parts)


def summary(text: str) -> str:
    """Returns a sub-agent's answer as its parent reads it: whole, or cut at a paragraph or sentence, saying so."""
    if len(text) <= SUMMARY_CHARACTERS:
        return text
    cut = text[:SUMMARY_CHARACTERS]
    end = max(cut.rfind("\n\n"), cut.rfind(". ") + 1)
    kept = cut[: end if end > SUMMARY_CHARACTERS // 2 else SUMMARY_CHARACTERS]
    return f"{kept.rstrip()}\n\n[Cut here: {len(text) - len(kept)} more characters.]"


def final_output(text: str, sources: Sources) -> dict[str, Any]:
    """Returns what a sub-agent leaves: its answer, and the sources that it cites, for its parent to cite in turn."""
    cited = {int(number) for number in _MARKER.findall(text)}
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
            }
            for source in found
        ],
    }


def sub_agent_result(run: EndedSubRun, sources: Sources) -> tuple[ToolResult, str]:
    """Returns the result of a sub-agent that has ended, as its parent's tool call gives it.

    Its sources get numbers of the parent's, which stand in its text too.

    Returns:
        The result, and what went wrong, empty when nothing did.
    """
    if run.status != "completed":
        reason = (run.error or {}).get("message") or f"The sub-agent was {run.status}."
        return ToolResult(""), reason
    output = run.final_output or {}
    given = msgspec.convert(output.get("sources", []), list[Source])
    found = sources.adopt(given)
    numbers = {str(old.number): new.number for old, new in zip(given, found, strict=True)}
    text = _MARKER.sub(
        lambda marker: f"[{numbers[marker[1]]}]" if marker[1] in numbers else "", harmless(run.result_summary or "")
    )
    if not found:
        return ToolResult(text), ""
    event = SessionEvent(
        kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
        text=f"Took over {len(found)} source{'s' if len(found) > 1 else ''} of a sub-agent",
        sources=found_event("", found),
    )
    return ToolResult(f"{text}\n\n{render(found)}", [event]), ""

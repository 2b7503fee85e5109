"""What a run has consulted, and what its answer therefore stands on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from echomind_agent.state.call import Call
from echomind_agent.tools.knowledge import NOTHING_KNOWN
from echomind_agent.tools.memory import NOTHING_REMEMBERED
from echomind_lib.db.words import AnswerBasis

_FOUND_NOTHING = frozenset({NOTHING_KNOWN, NOTHING_REMEMBERED})
BASIS = "basis"
"""The key of a sub-run's basis in `runs.final_output`."""
OTHER_TOOLS = "otherTools"
"""The key of a sub-run's `Consulted.other_tools` there."""


@dataclass(slots=True)
class Consulted:
    """What the completed calls of a run, and its sub-runs, have consulted."""

    searched: bool = False
    """Documents, knowledge or memories were searched."""
    other: bool = False
    """Something besides documents was read: web pages, knowledge, memories, or what a tool returned from elsewhere."""
    other_tools: list[str] = field(default_factory=list)
    """Names of the tools that read it, each once, in the order of their first calls."""
    has_sub_runs: bool = False
    """Whether the ended sub-runs are included."""

    def note(self, call: Call) -> None:
        """Adds a settled call; sub-runs are added by `note_sub_runs`."""
        tool = call.tool
        if call.is_sub_run or call.status != "completed" or tool is None or not tool.untrusted:
            return
        if tool.of_sources or call.reply in _FOUND_NOTHING:
            self.searched = True
        else:
            self.other = True
            self._note_tools([tool.name])

    def note_sub_runs(self, outputs: Iterable[Mapping[str, Any] | None]) -> None:
        """Adds ended sub-runs by their `final_output`."""
        self.has_sub_runs = True
        for output in outputs:
            basis = (output or {}).get(BASIS)
            self.searched = self.searched or basis in ("sources", "no_source_found")
            self.other = self.other or basis == "other"
            self._note_tools((output or {}).get(OTHER_TOOLS, ()))

    def basis(self, text: str, *, is_cited: bool, uses_memories: bool = False) -> AnswerBasis | None:
        """Returns what a text stands on; None for one without text.

        Args:
            text: The answer.
            is_cited: Whether it cites a source.
            uses_memories: Whether it repeats a memory of the prompt.
        """
        if not text.strip():
            return None
        if is_cited:
            return "sources"
        if self.other or uses_memories:
            return "other"
        return "no_source_found" if self.searched else "model_only"

    def _note_tools(self, names: Iterable[str]) -> None:
        self.other_tools += [name for name in dict.fromkeys(names) if name not in self.other_tools]

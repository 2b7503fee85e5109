"""What an answer stands on, in words."""

from echomind.cli.answers.tool_names import tool_label
from echomind_lib.models import public

_BASIS_WORDS = {
    "no_source_found": "No source found.",
    "model_only": "From the model alone, without your documents.",
    "other": "From web pages, knowledge, memories or tools, not from your documents.",
}


def basis_words(basis: "public.AnswerBasis") -> str:
    """Returns what an answer without sources stands on, in words; empty for an answer with sources."""
    return _BASIS_WORDS.get(basis.word, "")


def other_tools_words(other_tools: "list[str]") -> str:
    """Returns which tools besides those of documents an answer was written after; empty for none."""
    names = ", ".join(tool_label(name) for name in other_tools)
    return f"Also used: {names}." if names else ""

"""Names of the sources of answers."""

from echomind_lib.models import public


def source_title(citation: "public.Citation") -> str:
    """Returns the title of a source, with the name of its file where that is another one; empty if it is hidden."""
    file = f" [{citation.file_name}]" if citation.file_name not in {"", citation.title} else ""
    return f"{citation.title}{file}"

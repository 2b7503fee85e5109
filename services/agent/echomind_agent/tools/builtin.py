"""The tools that every installation has."""

from echomind_agent.tools.calculator import calculator
from echomind_agent.tools.clock import current_time, days_between
from echomind_agent.tools.documents import read_document, search_documents
from echomind_agent.tools.knowledge import search_knowledge
from echomind_agent.tools.memory import forget, remember, search_memory
from echomind_agent.tools.todos import finish_goal, update_todo, write_todos
from echomind_agent.tools.web_fetch import fetch_web_page
from echomind_agent.tools.web_search import search_web
from echomind_agent.toolset.registry import Tool
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from echomind_lib.network.fetching import Fetcher
from echomind_lib.network.page import PageReader
from echomind_lib.network.web_search import WebSearch
from echomind_lib.retrieval import Retriever


def builtin_tools(
    retriever: Retriever,
    knowledge: KnowledgeSearch,
    fetcher: Fetcher,
    reader: PageReader,
    facts: FactVectors,
    web: WebSearch | None = None,
    *,
    approves_web: bool = False,
) -> list[Tool]:
    """Returns the tools in the order in which they are sent to models.

    Args:
        retriever: Searches documents.
        knowledge: Searches knowledge.
        fetcher: Fetches web pages.
        reader: Reads them.
        facts: Searches memories.
        web: Searches the web; None if no search engine is configured.
        approves_web: Whether a person has to approve searches of a run that has read untrusted text.
    """
    return [
        search_documents(retriever),
        read_document(retriever),
        search_knowledge(knowledge),
        calculator,
        current_time(),
        days_between,
        *([search_web(web, needs_approval=approves_web)] if web else []),
        fetch_web_page(fetcher, reader),
        remember(),
        search_memory(facts),
        forget(),
        write_todos,
        update_todo,
        finish_goal,
    ]

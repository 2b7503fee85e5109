"""The tools that every installation has."""

from echomind_agent.tools.calculator import calculator
from echomind_agent.tools.clock import current_time, days_between
from echomind_agent.tools.documents import read_document, search_documents
from echomind_agent.tools.knowledge import search_knowledge
from echomind_agent.tools.memory import forget, remember, search_memory
from echomind_agent.tools.todos import finish_goal, update_todo, write_todos
from echomind_agent.tools.web_fetch import fetch_web_page
from echomind_agent.toolset.registry import Tool
from echomind_lib.facts import FactVectors
from echomind_lib.knowledge.search import KnowledgeSearch
from echomind_lib.network.fetching import Fetcher
from echomind_lib.network.page import PageReader
from echomind_lib.retrieval import Retriever


def builtin_tools(
    retriever: Retriever, knowledge: KnowledgeSearch, fetcher: Fetcher, reader: PageReader, facts: FactVectors
) -> list[Tool]:
    """Returns the tools in the order in which they are sent to models."""
    return [
        search_documents(retriever),
        read_document(retriever),
        search_knowledge(knowledge),
        calculator,
        current_time(),
        days_between,
        fetch_web_page(fetcher, reader),
        remember(),
        search_memory(facts),
        forget(),
        write_todos,
        update_todo,
        finish_goal,
    ]

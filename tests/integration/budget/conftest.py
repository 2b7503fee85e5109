"""What the tests of the budget share: the figures, which are counted once."""

from pathlib import Path

import pytest
import pytest_asyncio

from echomind.local.embedded.s3 import S3Server
from tests.drivers.budget_installation import installation
from tests.drivers.model_turns import Text

_SESSIONS = 20
_QUESTIONS = 40
_DOCUMENTS = 30
_DOCUMENTS_TOGETHER = 8
_IDLE_SECONDS = 10.0

Counted = dict[str, tuple[dict[str, float], str]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def counted(server_folder: Path, tmp_path_factory: pytest.TempPathFactory, s3_server: S3Server) -> Counted:
    """The figures of each case, and what they are made of."""
    folder, logs = server_folder / "budget", tmp_path_factory.mktemp("budget-logs")
    folder.mkdir()
    counted: Counted = {}
    async with installation(folder, logs, s3_server) as product:
        product.models.title = Text("How an index decides", at_once=True)
        counted["titled"] = await product.turns(_SESSIONS, title="Counted")
        counted["programs"] = await product.programs(_QUESTIONS)
        # A model that answers whatever it is asked: its titles, rewritings and extractions cannot be used.
        product.models.title = product.models.knowledge = product.answers.answer()
        counted["untitled"] = await product.turns(_SESSIONS)
        product.answers.searches = True
        counted["retrieval"] = await product.turns(_SESSIONS)
        product.answers.searches = False
        counted["idle_session"] = await product.idle_sessions(_SESSIONS)
        counted["document"] = await product.documents(_DOCUMENTS)
        counted["documents"] = await product.documents(_DOCUMENTS_TOGETHER * 4, together=_DOCUMENTS_TOGETHER)
        counted["idle_10_seconds"] = await product.idle_seconds(_IDLE_SECONDS)
    return counted

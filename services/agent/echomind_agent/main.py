"""The entry point `echomind-agent`."""

import asyncio
import sys
from contextlib import AsyncExitStack

# Imported first, as it loads structlog without its optional dependencies.
from echomind_lib.telemetry import configure_logging, configure_tracing  # isort: split

from echomind_agent.evaluation.scores import evaluation_scores
from echomind_agent.evidence.entailment import TeiEntailment, VerdictError, is_reliable
from echomind_agent.execution.services import Services
from echomind_agent.execution.traces import TracedChatModels
from echomind_agent.execution.verification import Verifier
from echomind_agent.execution.worker import Worker
from echomind_agent.llms.models import ChatModels
from echomind_agent.mcp import McpServers, Programs
from echomind_agent.mcp.states import McpServerStates
from echomind_agent.tools.builtin import builtin_tools
from echomind_agent.toolset.plugins import PluginContext, plugin_tools
from echomind_agent.toolset.registry import Registry
from echomind_agent.webhooks import WebhookSender
from echomind_agent.webhooks.sender import LIMITS
from echomind_lib.config import Settings
from echomind_lib.events.log import EventLog
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from echomind_lib.llms import LlmConfigInvalid, LlmError, open_model_session
from echomind_lib.network.fetching import AllowedHosts, Fetcher
from echomind_lib.network.page import PageReader
from echomind_lib.network.web_search import WebSearch
from echomind_lib.process.disk import DiskSpace
from echomind_lib.retrieval import Retriever
from echomind_lib.retrieval.traces import TracedRetriever
from echomind_lib.runtime import Membership, connect, run_until_stopped
from echomind_lib.secrets import Secrets
from echomind_lib.telemetry import spans


async def serve(settings: Settings) -> None:
    """Runs a worker until SIGTERM or SIGINT."""
    async with AsyncExitStack() as stack:
        connections = await stack.enter_async_context(connect(settings, "echomind-agent"))
        database, embeddings = connections.database, connections.embeddings
        http = await stack.enter_async_context(open_model_session())
        retriever = (Retriever if spans.recorder is None else TracedRetriever)(
            database,
            connections.vectors,
            embeddings,
            connections.objects,
            feedback=settings.search.feedback,
            rerankers=connections.rerankers,
        )
        secrets = Secrets.load(settings.secrets, settings.data_dir)
        mcp = McpServers(secrets, Programs(settings.mcp, settings.data_dir), states=McpServerStates(database.pool))
        stack.push_async_callback(mcp.close)
        allowed = AllowedHosts(settings.fetch.allowed_hosts)
        fetcher = await stack.enter_async_context(Fetcher(allowed))
        webhooks = WebhookSender(database.pool, secrets, await stack.enter_async_context(Fetcher(allowed, LIMITS)))
        reader = await stack.enter_async_context(PageReader())
        facts = FactVectors(database.pool, connections.vectors, embeddings)
        knowledge, searches = KnowledgeSearch(database.pool, facts), settings.web_search
        web = WebSearch(searches, http) if searches.provider else None
        builtin = builtin_tools(retriever, knowledge, fetcher, reader, facts, web, approves_web=searches.approval)
        plugins = PluginContext(database.pool, http, settings)
        services = Services(
            log=EventLog(database.pool, connections.bus),
            models=(ChatModels if spans.recorder is None else TracedChatModels)(
                http, secrets, embeddings, retriever.active_model
            ),
            tools=Registry([*builtin, *plugin_tools(plugins, [tool.name for tool in builtin])]),
            mcp=mcp,
            facts=facts,
            retriever=retriever,
            verifier=Verifier(settings.verify, http) if settings.verify.provider else None,
        )
        membership = Membership(settings.postgres.url.get_secret_value(), "agent")
        limits, disk = settings.agent, DiskSpace(settings.disk)
        worker = Worker(
            services,
            membership,
            disk,
            concurrency=limits.concurrency,
            runs_per_person=limits.runs_per_person,
            idle_minutes=limits.idle_minutes,
            evaluation_concurrency=limits.evaluation_concurrency,
            webhooks=webhooks,
            scores=evaluation_scores(settings.telemetry),
        )
        checks = {
            "postgres": connections.check_postgres,
            "nats": connections.check_nats,
            "worker": worker.check_listening,
        }
        await run_until_stopped(worker.run(), settings.telemetry.host, limits.health_port, checks, disk)


async def try_verification(settings: Settings) -> str:
    """Returns what is wrong with the second check of citations; empty if it works."""
    given = settings.verify
    if given.provider != "tei":
        return "ECHOMIND_VERIFY__PROVIDER is not `tei`: there is no endpoint to test."
    async with open_model_session() as http:
        try:
            works = await is_reliable(
                TeiEntailment(given.url, given.api_key.get_secret_value(), given.threshold, http), 30.0
            )
        except (LlmError, LlmConfigInvalid, VerdictError) as error:
            return f"{error}."
        except TimeoutError:
            return f"{given.url} takes longer than 30 seconds for two sentences."
    return "" if works else f"{given.url} does not tell supported sentences from contradicted ones: use another model."


def main() -> None:
    """Runs the agent with settings from the environment, or with `--test-verify` tests the check of citations."""
    settings = Settings()
    if sys.argv[1:] == ["--test-verify"]:
        problem = asyncio.run(try_verification(settings))
        sys.stdout.write("" if problem else "The model tells supported sentences from contradicted ones.\n")
        sys.exit(problem)
    configure_logging(settings.telemetry, "agent")
    stop_tracing = configure_tracing(settings.telemetry, "agent")
    try:
        import uvloop

        uvloop.run(serve(settings))
    finally:
        stop_tracing()


if __name__ == "__main__":
    main()

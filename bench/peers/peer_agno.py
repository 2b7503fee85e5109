"""Agno's AgentOS on PostgreSQL: one agent a model, with the history in its context.

Environment: MODELS (names with commas between; also the agents' ids), DSN (user:password@host:port/database), STUB_URL.
"""

import os

from agno.agent import Agent
from agno.db.postgres import AsyncPostgresDb
from agno.models.openai.like import OpenAILike
from agno.os import AgentOS

db = AsyncPostgresDb(db_url=f"postgresql+asyncpg://{os.environ['DSN']}")


def agent(name):
    model = OpenAILike(id=name, base_url=f"{os.environ['STUB_URL']}/v1", api_key="none")
    return Agent(
        id=name, name=name, model=model, db=db, add_history_to_context=True, num_history_runs=10, telemetry=False
    )


app = AgentOS(id="bench", agents=[agent(name) for name in os.environ["MODELS"].split(",")], telemetry=False).get_app()

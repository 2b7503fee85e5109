"""LangGraph: a graph of one node with the PostgreSQL checkpointer, behind a small FastAPI endpoint.

Environment: DSN (user:password@host:port/database), STUB_URL.
"""

import json
import os
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, MessagesState, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel


def build(name, saver):
    model = ChatOpenAI(model=name, base_url=f"{os.environ['STUB_URL']}/v1", api_key="none", streaming=True)

    async def call(state):
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("call", call)
    graph.add_edge(START, "call")
    return graph.compile(checkpointer=saver)


@asynccontextmanager
async def lifespan(app):
    async with AsyncConnectionPool(
        f"postgresql://{os.environ['DSN']}",
        min_size=4,
        max_size=20,
        open=False,
        kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
    ) as pool:
        app.state.saver = AsyncPostgresSaver(pool)
        await app.state.saver.setup()
        app.state.graphs = {}
        yield


app = FastAPI(lifespan=lifespan)


class Turn(BaseModel):
    thread_id: str
    message: str
    model: str = "stub"


@app.get("/health")
async def health():
    return {"ok": True}


@app.post("/chat")
async def chat(turn: Turn):
    graphs = app.state.graphs
    if turn.model not in graphs:
        graphs[turn.model] = build(turn.model, app.state.saver)

    async def events():
        question = {"messages": [{"role": "user", "content": turn.message}]}
        where = {"configurable": {"thread_id": turn.thread_id}}
        async for message, _ in graphs[turn.model].astream(question, where, stream_mode="messages"):
            if message.content:
                yield f"data: {json.dumps({'content': message.content})}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")

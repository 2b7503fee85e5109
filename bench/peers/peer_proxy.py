"""The floor: FastAPI and httpx pass the stub's answer through; nothing is kept. Environment: STUB_URL."""

import os

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

app = FastAPI()
client = httpx.AsyncClient(
    base_url=os.environ["STUB_URL"],
    timeout=60,
    limits=httpx.Limits(max_connections=None, max_keepalive_connections=256),
)


@app.get("/health")
async def health():
    return {"ok": True}


@app.post("/v1/chat/completions")
async def chat(request: Request):
    headers = {"content-type": "application/json"}
    onward = client.build_request("POST", "/v1/chat/completions", content=await request.body(), headers=headers)
    response = await client.send(onward, stream=True)

    async def parts():
        try:
            async for part in response.aiter_raw():
                yield part
        finally:
            await response.aclose()

    return StreamingResponse(parts(), status_code=response.status_code, media_type="text/event-stream")

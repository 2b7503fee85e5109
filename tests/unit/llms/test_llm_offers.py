"""`offered_models` asks a provider's server for the names of its models."""

import pytest
from aiohttp import web

from echomind_lib.llms import LlmBadRequest, LlmConfig, LlmConfigInvalid, LlmError, LlmStreamBroken, Provider
from echomind_lib.llms.offers import MAX_MODELS, offered_models
from tests.drivers.serving import serving


def _app(response: web.Response, seen: list[web.Request]) -> web.Application:
    async def answer(request: web.Request) -> web.Response:
        seen.append(request)
        return response

    app = web.Application()
    app.router.add_get("/v1/models", answer)
    return app


async def _offered(provider: Provider, response: web.Response) -> tuple[list[str], web.Request]:
    seen: list[web.Request] = []
    async with serving(_app(response, seen)) as origin:
        names = await offered_models(LlmConfig(provider, "any", f"{origin}/v1", api_key="sk-1"))
    return names, seen[0]


async def test_names_are_sorted_once_each_and_on_one_line(provider: Provider) -> None:
    data = [{"id": name} for name in ("zeta", "Alpha", "alpha\nbeta", "zeta", " ")]
    names, request = await _offered(provider, web.json_response({"object": "list", "data": data}))
    assert names == ["Alpha", "alpha beta", "zeta"]
    key = "Authorization" if provider == "openai" else "x-api-key"
    assert request.headers[key].removeprefix("Bearer ") == "sk-1"


async def test_a_long_list_is_cut(provider: Provider) -> None:
    data = [{"id": f"m{number}"} for number in range(MAX_MODELS + 5)]
    names, _ = await _offered(provider, web.json_response({"data": data}))
    assert len(names) == MAX_MODELS


@pytest.mark.parametrize(
    ("response", "error", "words"),
    [
        (web.Response(text="<html>"), LlmStreamBroken, "cannot be read"),
        (web.json_response({"models": []}), LlmStreamBroken, "cannot be read"),
        (web.Response(body=b" " * (4 * 1024 * 1024 + 1)), LlmStreamBroken, "larger than"),
        (web.Response(status=302, headers={"Location": "http://127.0.0.1:1/v1"}), LlmBadRequest, "redirects"),
        (web.Response(status=404), LlmError, "HTTP 404"),
    ],
    ids=["a page", "another list", "too large", "a redirect", "unknown"],
)
async def test_another_answer_says_what_to_do(response: web.Response, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        await _offered("openai", response)


async def test_an_address_where_no_model_may_be_is_not_asked() -> None:
    with pytest.raises(LlmConfigInvalid, match="link-local"):
        await offered_models(LlmConfig("vllm", "any", "http://169.254.169.254"))

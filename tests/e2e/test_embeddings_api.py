"""Embeddings for programs, by the official client."""

import openai
import pytest
from openai import AsyncOpenAI

from tests.drivers.up import Up

TEXTS = ["A cat sleeps.", "A kitten is sleeping.", "Taxes are due in May."]


async def test_vectors_are_those_of_the_active_model(up: Up) -> None:
    async with AsyncOpenAI(base_url=f"{up.url}/v1", api_key=up.api_key) as client:
        made = await client.embeddings.create(model="active", input=TEXTS)
        plain = await client.embeddings.create(model=made.model, input=TEXTS[0], encoding_format="float")
        assert [each.index for each in made.data] == [0, 1, 2]
        assert plain.data[0].embedding == pytest.approx(made.data[0].embedding, abs=1e-6)
        cat, kitten, taxes = (each.embedding for each in made.data)
        assert _product(cat, cat) == pytest.approx(1, abs=1e-3)
        assert _product(cat, kitten) > 0.6 > _product(cat, taxes)
        for model, error in (("text-embedding-3-small", openai.NotFoundError), ("active", openai.BadRequestError)):
            with pytest.raises(error):
                await client.embeddings.create(model=model, input=[[1, 2]] if model == "active" else "x")


def _product(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))

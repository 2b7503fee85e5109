"""Models of an embedding process: loaded once, remembered, unloaded when nobody uses them."""

import asyncio
from pathlib import Path

import pytest

from echomind_lib.embeddings.embedders import Embedders, UnknownEmbedderError
from tests.factories.embedders import LengthEmbedder


class Loading:
    """Counts how often models are loaded."""

    def __init__(self) -> None:
        self.loaded: list[str] = []

    def embedders(self, remembered: Path | None = None, idle_seconds: float = 900.0) -> Embedders:
        def load(name: str) -> LengthEmbedder:
            self.loaded.append(name)
            return LengthEmbedder()

        loaders = {name: lambda name=name: load(name) for name in ("first", "second")}
        return Embedders(loaders, "first", remembered=remembered, idle_seconds=idle_seconds)


async def test_a_model_is_loaded_once_whoever_asks() -> None:
    loading = Loading()
    embedders = loading.embedders()
    found = await asyncio.gather(*(embedders.get(name) for name in ("", "first", "second", "second")))
    assert found[0] is found[1]
    assert found[2] is found[3]
    assert found[0] is not found[2]
    assert sorted(loading.loaded) == ["first", "second"]


async def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownEmbedderError, match=r"no model 'third'\. It has: first, second"):
        await Loading().embedders().get("third")


async def test_a_model_whose_files_are_wrong_is_an_error_with_its_reason() -> None:
    def broken() -> LengthEmbedder:
        raise ValueError("reinstall its package")

    with pytest.raises(UnknownEmbedderError, match="reinstall its package"):
        await Embedders({"broken": broken}, "broken").get("")


async def test_the_model_of_the_last_question_is_loaded_first_after_a_restart(tmp_path: Path) -> None:
    file, loading = tmp_path / "embedding-model", Loading()
    embedders = loading.embedders(file)
    await embedders.remember("second")
    again = Loading()
    await again.embedders(file).get("")
    assert again.loaded == ["second"]
    file.write_text("gone")
    await again.embedders(file).get("")
    assert again.loaded == ["second", "first"]


async def test_models_that_nobody_uses_are_unloaded_except_the_default_one() -> None:
    loading = Loading()
    embedders = loading.embedders(idle_seconds=0.0)
    await embedders.get("first")
    await embedders.get("second")
    embedders.unload_idle()
    await embedders.get("first")
    await embedders.get("second")
    assert loading.loaded == ["first", "second", "second"]

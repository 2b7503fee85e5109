"""Models of an embedding process: loaded once, remembered, unloaded when nobody uses them."""

import asyncio
import threading
from pathlib import Path

import pytest

from echomind_lib.embeddings.embedders import Embedders, ModelLoadingError, UnknownEmbedderError
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


async def test_loading_goes_on_when_nobody_waits_any_more() -> None:
    """A model that takes longer to load than callers wait would otherwise never be ready."""
    may_load, loaded = threading.Event(), []

    def slow() -> LengthEmbedder:
        may_load.wait(30)
        loaded.append("slow")
        return LengthEmbedder()

    embedders = Embedders({"slow": slow}, "slow")
    with pytest.raises(ModelLoadingError, match="being loaded"):
        await embedders.get("slow", seconds=0.01)
    waiting = asyncio.create_task(embedders.get("slow"))
    await asyncio.sleep(0)
    waiting.cancel()
    may_load.set()
    assert await embedders.get("slow") is await embedders.get("slow", seconds=0.01)
    assert loaded == ["slow"]


async def test_a_model_that_could_not_be_loaded_is_tried_again() -> None:
    attempts = []

    def second_time() -> LengthEmbedder:
        attempts.append(1)
        if len(attempts) == 1:
            raise ValueError("not yet")
        return LengthEmbedder()

    embedders = Embedders({"late": second_time}, "late")
    with pytest.raises(UnknownEmbedderError, match="not yet"):
        await embedders.get("late")
    assert await embedders.get("late")

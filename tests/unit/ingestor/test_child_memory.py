"""How much memory reading a file may take."""

from pathlib import Path

import pytest

from echomind_ingestor.extract.child import MEMORY_BYTES, memory_limit

GIB = 1024**3


@pytest.mark.parametrize(
    ("of_container", "limit"),
    [
        (str(64 * GIB), MEMORY_BYTES),
        ("max", MEMORY_BYTES),
        (str(4 * GIB), 5 * GIB // 2),
        (str(GIB), GIB // 2),
        (None, MEMORY_BYTES),
    ],
)
def test_reading_a_file_takes_what_the_container_leaves(tmp_path: Path, of_container: str | None, limit: int) -> None:
    path = tmp_path / "memory.max"
    if of_container is not None:
        path.write_text(f"{of_container}\n")
    assert memory_limit(path) == limit

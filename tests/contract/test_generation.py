"""How generated code is compared and installed, which `make drift` does for what is committed."""

from pathlib import Path

import pytest

from tests.paths import ROOT
from tools import gen


def test_drift_is_reported_and_repaired(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for folder, files in ((source, {"a.py": "1", "b/c.py": "2"}), (target, {"a.py": "0", "d/e.py": "3"})):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    assert gen.drift(source, target) == [
        f"{target / 'a.py'}: differs",
        f"{target / 'b/c.py'}: missing",
        f"{target / 'd/e.py'}: not generated any more",
    ]
    gen.install(source, target)
    assert gen.drift(source, target) == []
    assert {path.name for path in gen.files(target).values()} == {"a.py", "c.py"}


@pytest.mark.parametrize("area", ["public", "internal"])
def test_public_messages_use_no_internal_ones(area: str) -> None:
    for path in (ROOT / "src/proto/echomind" / area).rglob("*.proto"):
        if area == "public":
            assert "echomind/internal/" not in path.read_text(), path
        else:
            assert "package echomind.internal.v1;" in path.read_text(), path

"""The programs in `examples` work as described."""

import os
import subprocess
import sys

import pytest

from tests.drivers.up import Up
from tests.paths import ROOT

EXAMPLES = ROOT / "examples"


def run(up: Up, *command: str) -> str:
    environment = os.environ | {
        "KEY": up.api_key,
        "ECHOMIND_URL": up.url,
        "GRPC_ADDRESS": f"127.0.0.1:{up.grpc_port}",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def sample_documents(up: Up) -> None:
    up.json("ingest", str(EXAMPLES / "documents"), "--wait")


@pytest.mark.usefixtures("sample_documents")
def test_a_question_is_asked_over_rest_and_grpc(up: Up) -> None:
    for program in ("ask_over_rest.py", "ask_over_grpc.py"):
        answer = run(up, sys.executable, str(EXAMPLES / program), "Which is the limit for a hotel in Oslo?")
        assert "200 euro" in answer
        assert "[1] Travel expenses: " in answer


def test_documents_are_uploaded_and_asked_about_with_curl(up: Up) -> None:
    answer = run(up, str(EXAMPLES / "ask.sh"), "Which is the limit for a hotel in Oslo?")
    assert "uploaded leave.md" in answer
    assert "200 euro" in answer
    assert '"RUN_STATUS_COMPLETED"' in answer
